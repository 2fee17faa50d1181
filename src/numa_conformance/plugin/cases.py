"""Cases: the items of pytest that check requirements, by ids that are the same wherever the suite is installed."""

from pathlib import Path

import pytest

from ..asking.findings.telling import CaseReport
from ..asking.groups import GROUPS, groups_of
from ..chapters import REQUIREMENTS
from ..report.case import Case

CASE = pytest.StashKey[Case]()
"""Where an item keeps its case."""
TALLY = pytest.StashKey[CaseReport]()
"""Where a case on histories says how often it asked, and where its requirement is broken."""


def case_id(item: pytest.Item) -> str:
    """Return the id of an item's case: folder, file, test and parameters, ``host/test_reconcile::test_name[way]``."""
    return _case_id(item.path, item.name)


def case_id_of_node(nodeid: str, config: pytest.Config) -> str:
    """Return the id of the case that pytest, which knows files by where it was started, calls ``nodeid``."""
    return _case_id(file_of_node(nodeid, config), nodeid.partition("::")[2])


def file_of_node(nodeid: str, config: pytest.Config) -> Path:
    """Return the file, or the folder, of what pytest calls ``nodeid``."""
    file = nodeid.partition("::")[0]
    starts = [config.rootpath, *(Path(argument.partition("::")[0]).absolute() for argument in config.args)]
    return next((start / file for start in starts if (start / file).exists()), Path(file))


def _case_id(file: Path, test: str) -> str:
    return f"{file.parent.name}/{file.stem}::{test}"


def requirements_of(item: pytest.Item) -> list[str]:
    """Return the ids of the requirements that an item checks; raises ``pytest.UsageError`` for an unknown one."""
    names = [str(name) for marker in item.iter_markers("requirement") for name in marker.args]
    for name in names:
        if name not in REQUIREMENTS:
            raise pytest.UsageError(f"{item.nodeid} names the requirement {name!r}, which is not in the registry")
    return names


def surfaces_of_item(item: pytest.Item, claimed: frozenset[str]) -> tuple[str, ...]:
    """Return the surfaces that an item needs, for conversations those of its judges; empty where nothing says so."""
    if item.get_closest_marker("generated") is not None:
        groups = (name for requirement in requirements_of(item) for name in groups_of(requirement, claimed=claimed))
        return tuple(dict.fromkeys(GROUPS[name].surface for name in groups))
    return tuple(str(name) for marker in item.iter_markers("surfaces") for name in marker.args)
