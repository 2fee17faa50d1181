"""Smaller conversations than one: fewer steps, fewer settings, smaller pods, a machine that exists."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from ..asking.generators.cells import WITH_DEVICES
from ..asking.shrinking import fewer_steps
from ..cpuset import CpuSet
from ..machine import Machine, catalogue_names, load_machine
from ..wire.history.history import History, Step

_SETTINGS = ("kubelet", "options")
_OF_PODS = ("initContainers", "containers")


def simpler(history: History) -> Iterator[History]:
    """Yield a history with something left out: steps, settings, containers, requests. The caller tests the rest."""
    yield from fewer_steps(history)
    for number, step in enumerate(history.steps):
        for params in _simpler_params(step.params):
            steps = list(history.steps)
            steps[number] = Step(step.method, params)
            yield History(history.head, tuple(steps))


def _simpler_params(params: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in _SETTINGS:
        for less in _less(params.get(name)):
            yield {**params, name: less}
    if isinstance(params.get("pod"), Mapping):
        for spec in _smaller_spec(params["pod"].get("spec", {})):
            yield {**params, "pod": {**params["pod"], "spec": spec}}


def _less(settings: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(settings, Mapping):
        return
    for name in settings:
        yield {key: value for key, value in settings.items() if key != name}
    for name, value in settings.items():
        if isinstance(value, Mapping) and len(value) > 1:
            yield from ({**settings, name: less} for less in _less(value))


def _smaller_spec(spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind in _OF_PODS:
        containers = spec.get(kind) or []
        for index, container in enumerate(containers):
            rest = [*containers[:index], *containers[index + 1 :]]
            if rest or kind == "initContainers":
                yield {**spec, kind: rest}
            for smaller in _asking_less(container):
                yield {**spec, kind: [*containers[:index], smaller, *containers[index + 1 :]]}


def _asking_less(container: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a container that does not ask for one of its resources, or for the least of it."""
    resources = container.get("resources") or {}
    names = dict.fromkeys(name for amounts in resources.values() for name in amounts)
    for name in names:
        yield {**container, "resources": {kind: _without(amounts, name) for kind, amounts in resources.items()}}
    for name in names:
        if any(amounts.get(name, "1") != "1" for amounts in resources.values()) and name != "memory":
            yield {**container, "resources": {kind: _least_of(amounts, name) for kind, amounts in resources.items()}}


def _without(amounts: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: amount for key, amount in amounts.items() if key != name}


def _least_of(amounts: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: "1" if key == name else amount for key, amount in amounts.items()}


def is_real(machine: Machine) -> bool:
    """Tell whether a machine is one of the catalogue that exists outside it, whatever devices it was given."""
    return _bare(machine) in map(_bare, _real_machines())


def on_real_machines(history: History) -> Iterator[History]:
    """Yield a history on each real machine that has its CPUs and may have its devices, those of few CPUs first."""
    first = history.steps[0]
    named = _cpus_named(first)
    if named is None:
        return
    devices = history.head.machine.devices
    for machine in _real_machines():
        near = {node for device in devices for node in device.numa}
        if devices and not machine.devices and near <= {*machine.numa_ids}:
            machine = replace(machine, name=f"{machine.name}{WITH_DEVICES}", devices=devices)
        if not named & ~machine.online_bits:
            yield History(replace(history.head, machine=machine), history.steps)


def _cpus_named(step: Step) -> int | None:
    """Return the CPUs that a question names, which a machine must have; None where it belongs to its machine."""
    if step.method == "node.start" and not step.params.get("files"):
        return CpuSet.parse(step.params["kubelet"].get("reservedSystemCPUs") or "").bits
    return CpuSet.parse(step.params["available"]).bits if step.method == "pick" else None


def _bare(machine: Machine) -> Machine:
    return replace(machine, name=machine.name.removesuffix(WITH_DEVICES), devices=())


@cache
def _real_machines() -> tuple[Machine, ...]:
    machines = [load_machine(name) for name in catalogue_names()]
    exist = [machine for machine in machines if any(note.startswith("source: ") for note in machine.notes)]
    return tuple(sorted(exist, key=lambda machine: len(machine.cpus)))
