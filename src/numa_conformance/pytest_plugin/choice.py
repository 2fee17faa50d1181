"""Which of the collected cases a run asks."""

from __future__ import annotations

from collections import Counter

import pytest

from ..suite.requirements import REQUIREMENTS
from .cases import CASE, case_id, new_case, requirements_of
from .run import RUN, Run

__all__ = ["Choice"]

KUBELETS_OWN = "exact/recorded/"
"""Requirements that only the kubelet's own decisions meet: not asked of a target with golden snapshots of its own."""


class Choice:
    """Leaves out what is not asked for, and skips what the target does not claim."""

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the cases that are asked, and give each its record."""
        run = config.stash[RUN]
        wanted = [_is_wanted(item, run) for item in items]
        if items and not any(wanted):
            raise pytest.UsageError(f"nothing is selected: {run.selection}")
        dropped = [item for item, kept in zip(items, wanted, strict=True) if not kept]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
        items[:] = [item for item, kept in zip(items, wanted, strict=True) if kept]
        for item in items:
            _prepare(item, run)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse cases that could not be told apart: tests of one's own, beside the suite's, may be called alike."""
        twice = [name for name, count in Counter(map(case_id, session.items)).items() if count > 1]
        if twice:
            raise pytest.UsageError(f"two cases have the id {min(twice)}; rename a test or its file")


def _is_wanted(item: pytest.Item, run: Run) -> bool:
    names = requirements_of(item)
    other_level = ("departs", "documented") if run.level == "exact" else ("exact",)
    return (
        not any(item.get_closest_marker(marker) for marker in other_level)
        and not _is_asked_of_the_node(item, run)
        and _is_in_the_profile(names, run)
        and run.selection.wants(names, case_id(item))
    )


def _is_asked_of_the_node(item: pytest.Item, run: Run) -> bool:
    """Tell whether a case of a narrow surface says nothing that the node is not asked: it is for those without."""
    marker = item.get_closest_marker("beside_node")
    return marker is not None and marker.args[0] not in run.client.surfaces and "node" in run.client.surfaces


def _is_in_the_profile(names: list[str], run: Run) -> bool:
    if run.snapshots and any(name.startswith(KUBELETS_OWN) for name in names):
        return False
    asked = [REQUIREMENTS[name] for name in names]
    return all(run.profile.asks(each.features) and each.holds_in(run.profile.version) for each in asked)


def _prepare(item: pytest.Item, run: Run) -> None:
    names = requirements_of(item)
    item.stash[CASE] = new_case(item)
    item.user_properties.extend(("requirement", name) for name in names)
    missing = sorted({feature for name in names for feature in REQUIREMENTS[name].features} - run.features)
    if missing:
        item.add_marker(pytest.mark.skip(reason=f"not claimed: {', '.join(missing)}"))
