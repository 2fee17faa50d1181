"""Which cases a run asks for, and which features it takes as claimed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from ..chapters import OF_TARGETS
from ..errors import Fault, UsageError, closest, closest_to_pattern
from ..report.reading import read_report
from ..wire.features import KNOWN
from .options import setting, settings_list

_CHOOSING = ("keyword", "markexpr", "deselect", "lf", "stepwise")


@dataclass(frozen=True)
class Selection:
    """Requirement globs, cases, and the ids of cases that failed in an earlier report; empty means everything.

    ``named`` are ids of cases, or of tests: the same without what stands in brackets.
    """

    patterns: tuple[str, ...]
    named: tuple[str, ...]
    cases: frozenset[str] | None
    by_pytest: bool = False
    """Whether pytest's own options choose among the cases."""
    is_part: bool = False
    """Whether the user named paths inside the suite."""

    @classmethod
    def read(cls, config: pytest.Config, *, part: bool = False) -> "Selection":
        """Read the options; ``part``: paths inside the suite are named. Raises ``UsageError`` for vain patterns."""
        patterns = tuple(settings_list(config, "numa_requirement"))
        faults = [
            Fault(
                "--numa-requirement",
                f"{pattern!r} matches no requirement",
                suggestion=closest_to_pattern(pattern, OF_TARGETS),
            )
            for pattern in patterns
            if not any(fnmatchcase(name, pattern) for name in OF_TARGETS)
        ]
        if faults:
            raise UsageError(faults)
        rerun = setting(config, "numa_rerun")
        return cls(
            patterns,
            tuple(settings_list(config, "numa_case")),
            _failed_cases(Path(rerun)) if rerun else None,
            any(getattr(config.option, name, None) for name in _CHOOSING),
            part,
        )

    @property
    def narrows(self) -> bool:
        """Whether less than everything is asked for."""
        return bool(self.patterns or self.named) or self.cases is not None or self.by_pytest or self.is_part

    def check(self, cases: Mapping[str, str]) -> None:
        """Raise ``UsageError`` for a named case that is not among these (id to why it is not asked), or not asked."""
        faults = []
        for name in self.named:
            matching = {id: why for id, why in cases.items() if _names(name, id)}
            if not matching:
                near = closest(name, cases if "[" in name else {id.partition("[")[0] for id in cases})
                faults.append(Fault("--numa-case", f"the suite has no case {name!r}", "--numa-list shows them", near))
            elif all(matching.values()):
                faults.append(Fault("--numa-case", f"{name!r} is not asked: {next(iter(matching.values()))}"))
        if faults:
            raise UsageError(faults)

    def wants(self, requirements: Iterable[str], case: str) -> bool:
        """Tell whether a case is asked for."""
        if self.cases is not None and case not in self.cases:
            return False
        if self.named and not any(_names(name, case) for name in self.named):
            return False
        pairs = ((name, pattern) for name in requirements for pattern in self.patterns)
        return not self.patterns or any(fnmatchcase(*pair) for pair in pairs)

    def __str__(self) -> str:
        parts = [f"--numa-requirement {pattern}" for pattern in self.patterns]
        parts += [f"--numa-case {name}" for name in self.named]
        if self.cases is not None:
            parts.append(f"--numa-rerun ({len(self.cases)} cases)")
        return ", ".join(parts) or "no case of the suite"


def _names(name: str, case: str) -> bool:
    return name in (case, case.partition("[")[0])


def _failed_cases(path: Path) -> frozenset[str]:
    failed = frozenset(case.id for case in read_report(path).cases if case.unmet)
    if not failed:
        raise UsageError(Fault(f"--numa-rerun {path}", "nothing failed in this report"))
    return failed


def claimed_features(claimed: frozenset[str], override: str) -> frozenset[str]:
    """Apply ``+feature,-feature`` to what a target claims; raises ``UsageError`` for unknown names."""
    result = set(claimed)
    faults = []
    for item in filter(None, (word.strip() for word in override.split(","))):
        sign, name = item[0], item[1:]
        if sign not in "+-":
            faults.append(Fault("--numa-features", f"{item!r} has no sign", "+feature or -feature"))
        elif name not in KNOWN:
            faults.append(Fault("--numa-features", f"{name!r} is not known", suggestion=closest(name, KNOWN)))
        elif sign == "+":
            result.add(name)
        else:
            result.discard(name)
    if faults:
        raise UsageError(faults)
    return frozenset(result)
