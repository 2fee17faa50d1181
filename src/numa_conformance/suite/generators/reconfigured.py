"""Nodes that are restarted with another configuration, or with their own: it holds for the pods that come then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...documentation.options import STATIC_OPTIONS
from ...machine import load_machine
from .option_probes import probe_of
from .scenario import Scenario, Script
from .workloads import container, guaranteed, pod, static

__all__ = ["reconfigured"]

Json = Mapping[str, Any]
Turn = tuple[Json, Json | None, Sequence[Json]]
"""A configuration, the one after the restart (None: the same), and the pods that come then."""
SMALL, QUAD = "t1-one-socket-smt2", "t3-two-numa-per-socket"
MACHINES = (SMALL, QUAD, "t4-four-uncores")
SINGLE, POD = "single-numa-node", "topology-manager/scope/pod"


def reconfigured(claimed: frozenset[str]) -> Iterator[Scenario]:
    """Yield restarts with another reservation, another alignment and other options of policy static."""
    if not {"cpu-manager/static", "node/restart"} <= claimed:
        return
    yield _scenario("another reservation", SMALL, _reservations())
    if f"topology-manager/{SINGLE}" in claimed:
        yield _scenario("another alignment", QUAD, _alignments(claimed))
    for option in STATIC_OPTIONS:
        probes = ((name, probe_of(option, load_machine(name))) for name in MACHINES)
        able = [(name, probe) for name, probe in probes if probe and claimed >= {f"cpu-manager/{option}"} | probe.needs]
        for name, probe in able[:1]:
            named = {"cpuManagerPolicyOptions": {option: "true"}}
            on = {**probe.kubelet, **named, "featureGates": {"CPUManagerPolicyAlphaOptions": True}}
            turns = [
                (before, after, [probe.pod]) for before, after in ((probe.kubelet, on), (on, None), (on, probe.kubelet))
            ]
            yield _scenario(option, name, turns)


def _reservations() -> list[Turn]:
    """Reserve fewer CPUs than before, and more, and ask for all that can be given then."""
    few, many = static(reserved="0"), static(reserved="0-3")
    return [(many, few, [guaranteed("a", 7)]), (few, many, [guaranteed("a", 5), guaranteed("b", 4)])]


def _alignments(claimed: frozenset[str]) -> list[Turn]:
    """Ask for more than a NUMA node has, in one container and in two."""
    one, two = guaranteed("one", 9), pod("two", [container(f"c{n}", cpu="6", memory="64Mi") for n in range(2)])
    free, aligned = static(topology="none"), static(topology=SINGLE)
    turns: list[Turn] = [(free, aligned, [one]), (aligned, free, [one]), (aligned, None, [one])]
    if POD in claimed:
        whole = static(topology=SINGLE, scope="pod")
        turns += [(aligned, whole, [two]), (whole, aligned, [two])]
    return turns


def _scenario(about: str, machine: str, turns: Sequence[Turn]) -> Scenario:
    return Scenario("example", f"node, restarted with {about}", load_machine(machine), partial(_life, turns))


def _life(turns: Sequence[Turn]) -> Script:
    for before, after, pods in turns:
        yield "node.start", {"kubelet": before}
        restarted = yield "node.restart", {} if after is None else {"kubelet": after}
        for wanted in pods if restarted.get("result") == "restarted" else ():
            yield "node.admit", {"pod": wanted}
