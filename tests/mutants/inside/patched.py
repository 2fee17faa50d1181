"""Faults inside the reference: the documented reference with one function of its managers that does another thing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

from numa_conformance.managers.cpu import cpu_state as cpu_state
from numa_conformance.managers.device import device_state as device_state
from numa_conformance.protocol import METHODS, ReferenceTarget
from numa_conformance.suite.generators.scenario import Scenario

__all__ = ["PATCHED", "instead_of", "shows_in"]


class Patched:
    """The documented reference; a function of it is another one while it answers."""

    def __init__(self, owner: Any, name: str, wrong: Any) -> None:
        self._owner, self._name, self._wrong = owner, name, wrong
        self._reference = ReferenceTarget("documented")

    def __getattr__(self, attribute: str) -> Callable[[Any], Any]:
        if attribute not in {method.attribute for method in METHODS.values()}:
            raise AttributeError(attribute)
        answer = getattr(self._reference, attribute)

        def patched(message: Any) -> Any:
            with patch.object(self._owner, self._name, self._wrong):
                return answer(message)

        return patched


def shows_in(name: str, scenario: Scenario) -> bool:
    """Tell whether a fault can show in a scenario: only where its room has something to do."""
    if name not in PATCHED:
        return True
    owner = PATCHED[name].args[0]
    room = getattr(owner, "__module__", None) or owner.__name__
    if ".device." in room:
        return scenario.generator == "walk" and bool(scenario.machine.devices)
    if ".memory." in room:
        return "memory Static" in scenario.cell or scenario.cell == "reserved memory"
    if ".topology." in room and scenario.generator == "sweep":
        return scenario.cell.startswith("merge ")
    option = next((option for option in OPTIONS if option.replace("-", "_") in room), None)
    if option:
        return option in scenario.cell
    if room.endswith((".packed", ".accumulator")):
        return True
    generators = ("walk", "start") if ".node." in room else ("walk",)
    return scenario.generator in generators and scenario.cell != "policy none"


PATCHED: dict[str, partial[Patched]] = {}
OPTIONS = ("distribute-cpus-across-numa", "distribute-cpus-across-cores", "prefer-align-cpus-by-uncorecache")


def instead_of(owner: Any, name: str) -> Callable[[Any], Any]:
    """Declare a fault: the decorated function takes the right one as its first argument."""
    right = owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)

    def declare(wrong: Any) -> Any:
        def instead(*arguments: Any, **named: Any) -> Any:
            call = right.fget if isinstance(right, property) else right
            return wrong(call, *arguments, **named)

        PATCHED[wrong.__name__] = partial(
            Patched, owner, name, property(instead) if isinstance(right, property) else instead
        )
        return wrong

    return declare
