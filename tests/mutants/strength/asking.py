"""Asks the changed reference what the suite asks, beside what the unchanged one answered."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import GROUPS
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.comparing.differing import differing
from numa_conformance.comparing.recorded import FIRST_RECORDED, read_vectors, replay
from numa_conformance.files import data_folder
from numa_conformance.judging.verdicts import judge
from numa_conformance.wire import FEATURES, Client, InProcess, TimedOut
from numa_conformance.wire.history.history import History

from .left_open import leaves_open
from .mutations import Mutation

RECORDED = data_folder("conformance") / "exact" / "recorded"
REFERENCE = "numa_conformance.reference"
PROMISED = {name for name, requirement in REQUIREMENTS.items() if not {*requirement.features} <= FEATURES.keys()}
"""Requirements of features that the reference does not claim: they are not asked of it."""
CALL_SECONDS = 60.0
"""Time of a call: six times that of the suite, as a busy machine is no difference."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A scenario of a group, by its number, and what the unchanged reference answered."""

    group: str
    number: int
    scenario: Scenario
    history: History

    @property
    def is_compared(self) -> bool:
        """Whether level exact compares the answers."""
        return f"exact/histories/{self.group}" in REQUIREMENTS


class _Limited(InProcess):
    """Ends a call in this thread, whose lines are counted, that a change has made endless."""

    def request(self, message):
        before = signal.signal(signal.SIGALRM, _end_the_call)
        signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
        try:
            return super().request(message)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _end_the_call(*_: object) -> None:
    raise TimedOut(f"no answer within {CALL_SECONDS:g} s")


def reference(level: str, version: str) -> Client:
    """Return the reference as it is imported now."""
    target = importlib.import_module("numa_conformance.reference.target.reference_target").ReferenceTarget
    return Client(_Limited(lambda: target(level, version), "the reference"))


def asked(group: str, level: str, version: str, seed: int, begin: Callable[[], int]) -> Iterator[Asked]:
    """Drive the unchanged reference through a group; the suite's own seed is 0.

    ``begin`` is told that a scenario begins, and numbers it. What the reference remembered is forgotten by then, so
    that all lines on which answers of a scenario depend are executed in it.
    """
    remembered = list(_caches())
    for scenario in GROUPS[group].scenarios(frozenset(FEATURES), seed):
        for cache in remembered:
            cache.cache_clear()
        client = reference(level, version)
        yield Asked(group, begin(), scenario, drive(scenario, client, version)[0])
        client.close()


def _caches() -> Iterator[Any]:
    for name, module in sys.modules.items():
        if name.startswith((REFERENCE, "numa_conformance.wire")):
            yield from (value for value in vars(module).values() if hasattr(value, "cache_clear"))


@dataclass(slots=True)
class Seen:
    """What a change does at a level: whether any answer differs, and what the suite says of it.

    ``open``: where answers differ the pages leave open which is right, as far as a rule can tell; such a change is none
    at level documented. ``recommended``: each SHOULD that is broken, and was not before, in conversations that break no
    MUST. ``beyond``: the conversation of another seed in which answers differ where in none of the suite's do.
    """

    changes: bool = False
    open: bool = False
    caught: str = ""
    recommended: str = ""
    beyond: str = ""


def at_documented(asked: Sequence[Asked], version: str) -> Seen:
    """Look for a MUST that is broken, and note what recommendations are broken until one is."""
    client, seen, not_followed = reference("documented", version), Seen(), set[str]()
    should = {name for name, requirement in REQUIREMENTS.items() if requirement.strength == "SHOULD"}
    for unchanged in asked:
        for history, fault in _otherwise(unchanged, client):
            unmet = judge(history).unmet - PROMISED
            seen.caught = fault or ", ".join(sorted(unmet - should))
            if unmet & should - not_followed:
                not_followed |= unmet & should - judge(unchanged.history).unmet
            is_open = not (seen.caught or unmet & not_followed) and leaves_open(history, unchanged.history)
            seen.open, seen.changes = seen.open or is_open, seen.changes or not is_open
        if seen.caught:
            break
    client.close()
    seen.open = seen.open and not seen.changes
    seen.recommended = ", ".join(sorted(not_followed))
    return seen


def at_exact(asked: Sequence[Asked], beyond: Sequence[Asked], version: str, *, recorded: bool) -> Seen:
    """Look for an answer that differs where level exact compares, and, if there is none, for any answer that does."""
    client, seen = reference("exact", version), Seen()
    for unchanged in asked:
        for _, fault in _otherwise(unchanged, client):
            seen.changes = True
            if unchanged.is_compared or fault:
                seen.caught = fault or f"exact/histories/{unchanged.group}"
        if seen.caught:
            break
    else:
        kind = differs_from_recorded(client, version) if recorded else None
        if kind is not None:
            seen.changes, seen.caught = True, f"exact/recorded/{kind}"
        for unchanged in beyond:
            if seen.changes:
                break
            for _, fault in _otherwise(unchanged, client):
                scenario = unchanged.scenario
                seen.changes = True
                seen.beyond = (
                    f"{scenario.generator} {scenario.cell}, {scenario.machine.name}: {fault or 'other answers'}"
                )
    client.close()
    return seen


def differs_from_recorded(client: Client, version: str) -> str | None:
    """Return the kind of the first recorded decision of a version that comes out otherwise."""
    folder = RECORDED if version == str(FIRST_RECORDED) else RECORDED / version
    outcomes = replay(client, read_vectors([folder]), messages=False)
    return next((outcome.vector.kind for outcome in outcomes if outcome.status == "differed"), None)


def _otherwise(unchanged: Asked, client: Client) -> Iterator[tuple[History, str]]:
    """Drive, and yield the history and the fault where an answer is not that of the unchanged reference."""
    before = unchanged.history
    history, fault = drive(unchanged.scenario, client, before.head.version)
    if _answers(history) == _answers(before) or differing(history, before) is None:
        return
    yield history, "" if fault is None else f"{fault.verdict}: {fault.message}"


def _answers(history: History) -> list[Any]:
    return [step.answer for step in history.steps]


def import_changed(mutation: Mutation) -> None:
    """Import the reference anew, one module of it changed."""
    forget_the_reference()
    sys.meta_path.insert(0, _Finder(mutation))
    importlib.import_module("numa_conformance.reference.target.reference_target")


def forget_the_reference() -> None:
    """Forget the modules of the reference, and those that took something from them."""
    protocol = {name: module for name, module in sys.modules.items() if name.startswith("numa_conformance.wire")}
    forgotten = {name for name in sys.modules if name.startswith(REFERENCE)}
    while more := {name for name in protocol.keys() - forgotten if _origins(protocol[name]) & forgotten}:
        forgotten |= more
    for name in forgotten:
        del sys.modules[name]


def _origins(module: ModuleType) -> set[str]:
    values = list(vars(module).values())
    return {value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "") for value in values}


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the changed module."""

    def __init__(self, mutation: Mutation) -> None:
        self._mutation = mutation

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._mutation.module:
            return None
        file = str(self._mutation.path)
        return importlib.util.spec_from_file_location(fullname, file, loader=_Loader(self._mutation))


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads the changed text."""

    def __init__(self, mutation: Mutation) -> None:
        super().__init__(mutation.module, str(mutation.path))
        self._mutation = mutation

    def get_code(self, fullname: str) -> Any:
        return compile(self._mutation.source(), str(self._mutation.path), "exec")
