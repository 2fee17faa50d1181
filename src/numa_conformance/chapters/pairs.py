"""Pairs: for each judge of a sentence a case that it condemns, and one that it passes.

They are written in the folder ``conformance/pairs``, by chapter or by folder of chapters. Tests run them, and the
chapter's page shows them.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from ..files import data_folder
from ..judging.chapter import CHECKERS, Checker, Judgement, Violation, checkers_of
from ..judging.verdicts import judge
from ..judging.views import views
from ..wire.history.history import History

Judge = Callable[..., Judgement]
Pair = tuple[object, object]
"""What is wrong, and what is right: each a subject or a history."""
Pairs = Mapping[Judge, Pair]
"""The name of each module's table is ``PAIRS``."""

_SHIPPED = "numa_conformance.conformance"
if data_folder("conformance").parent != Path(__file__).parents[1]:  # of a checkout: beside the package, not in it
    sys.modules[_SHIPPED] = ModuleType(_SHIPPED)
    sys.modules[_SHIPPED].__path__ = [str(data_folder("conformance"))]


def twin(judge: Judge) -> Judge:
    """Return the judge of the recommended twin of a sentence: the same function, with its last argument true."""
    twins = (check.function for check in CHECKERS if isinstance(check.function, partial))
    return next(each for each in twins if each.func is judge)


@cache
def pairs() -> Mapping[Judge, Pair]:
    """Return the pairs of all chapters, by judge."""
    cases = importlib.import_module(f"{_SHIPPED}.pairs")
    names = [module.name for module in pkgutil.iter_modules(cases.__path__, f"{cases.__name__}.")]
    tables: list[Pairs] = [getattr(importlib.import_module(name), "PAIRS", {}) for name in names]
    return {judge: pair for table in tables for judge, pair in table.items()}


def violations(check: Checker, case: object) -> list[Violation] | None:
    """Return what a checker finds wrong with a case or what it shows; None where it applies to nothing of it."""
    if isinstance(case, History):
        verdicts = judge(case, only={check.requirement})
        findings = [broken.violation for broken in verdicts.broken if broken.requirement == check.requirement]
        return findings if verdicts.tests[check.requirement] else None
    shown: list[Any] = [each for each in (case, *views(case)) if check in checkers_of(type(each))]
    judged = [wrong for each in shown if (wrong := check.judge(each)) is not None]
    return [violation for wrong in judged for violation in wrong] if judged else None
