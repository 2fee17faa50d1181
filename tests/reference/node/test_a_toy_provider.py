"""A manager that nobody has heard of takes part in a node's life: one class, and one entry more among the providers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.errors import Refusal, StartError
from numa_conformance.kube import Container, KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import MemoryStore
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.provider import Active, Answer, Holding, NodeSetup, Provider, release_inactive
from numa_conformance.reference.managers.registry import PROVIDERS
from numa_conformance.reference.managers.state_file import ManagerStateFile
from numa_conformance.reference.node import Explainer, Node
from numa_conformance.reference.simulation.outcomes import Outcomes, placement_lines
from numa_conformance.reference.target.answers import admission_answer, state_answer

SEAT = "example.com/seat"
"""The resource that the toy gives out: one seat on each NUMA node."""
FILE = "seats_state"


@dataclass(frozen=True)
class Seats(Holding):
    """The seats of a container, and those that are free: a mask of NUMA nodes."""

    nodes: int

    def to_answer(self) -> list[int]:
        return [node for node in range(self.nodes.bit_length()) if self.nodes >> node & 1]

    @property
    def devices(self) -> dict[str, tuple[str, ...]]:
        return {SEAT: tuple(f"seat-{node}" for node in self.to_answer())} if self.nodes else {}


class SeatManager(Provider):
    """Gives each container that asks for seats as many of them, near its hint."""

    name = "seats"

    def __init__(self, setup: NodeSetup) -> None:
        self.free = sum(1 << node for node in setup.machine.numa_ids)
        self.given: dict[str, dict[str, int]] = {}

    @property
    def state_file(self) -> ManagerStateFile:
        return ManagerStateFile(FILE, self.content, self.restore)

    def content(self):
        return partial(json.dumps, {uid: dict(held) for uid, held in self.given.items() if held})

    def restore(self, text: str | None, where: str) -> bool:
        """Take over who has which seats, as JSON."""
        try:
            stored = json.loads(text or "{}")
        except ValueError:
            raise StartError("seatmanager-start", f"{where} is damaged") from None
        for uid, held in stored.items():
            for container, seats in held.items():
                self.take(uid, container, seats)
        return text is None

    def hints(self, pod: Pod, container: Container) -> Answer:
        if SEAT not in container.requests:
            return None
        offered = self.holding(pod.uid, container.name).nodes or self.free
        return {SEAT: [Hint(1 << node, True) for node in range(offered.bit_length()) if offered >> node & 1]}

    def allocate(self, pod: Pod, container: Container, affinity: Hint, trace: list[str] | None = None) -> None:
        if SEAT not in container.requests or self.holding(pod.uid, container.name).nodes:
            return
        near = self.free & (affinity.mask or 0) or self.free
        if not near:
            raise Refusal.unexpected("no seat is free")
        self.take(pod.uid, container.name, near & -near)
        if trace is not None:
            trace.append(f"a seat on NUMA node {(near & -near).bit_length() - 1}")

    def take(self, uid: str, container: str, seats: int) -> None:
        self.free &= ~seats
        self.given.setdefault(uid, {})[container] = seats

    def remove_stale(self, active: Active, uids: Iterable[str] | None = None) -> bool:
        return release_inactive(self.given, active, self._release, uids)

    def _release(self, uid: str, container: str) -> None:
        self.free |= self.given[uid].pop(container)

    def holding(self, uid: str, container: str) -> Seats:
        return Seats(self.given.get(uid, {}).get(container, 0))

    def pools(self) -> Seats:
        return Seats(self.free)


def _node(**more: Any) -> Node:
    """Make a node of two NUMA nodes with a seat on each, and CPUs for many pods."""
    config = KubeletConfiguration.from_dict(static(topology="restricted"))
    machine = load_machine("intel-sapphirerapids-8480")
    return Node(machine, config, providers=(*PROVIDERS, SeatManager), **more)


def _seated(uid: str, memory: str = "1Gi") -> Pod:
    return Pod.from_dict(guaranteed(uid, 2, memory, **{SEAT: "1"}))


def _seats(node: Node, uid: str) -> int:
    held = node.state().pods[uid]["c"].of(Seats)
    assert held is not None
    return held.nodes


def test_its_hints_decide_where_a_pod_is_placed():
    node = _node()
    first, second = node.admit(_seated("first")), node.admit(_seated("second"))
    assert (first.admitted, second.admitted) == (True, True)
    assert (_seats(node, "first"), _seats(node, "second")) == (0b01, 0b10)
    second_socket = node.machine.numa_bits[1]
    assert second.placements["c"].cpus & second_socket == second.placements["c"].cpus


def test_what_is_left_is_among_the_pools():
    node = _node()
    assert node.admit(_seated("first")).pools.of(Seats) == Seats(0b10)


def test_a_pod_that_finds_no_seat_is_refused_and_takes_nothing_from_other_managers():
    node = _node()
    for uid in ("first", "second"):
        node.admit(_seated(uid))
    before, files = node.state(), node.checkpoints()
    refused = node.admit(_seated("third"))
    assert refused.reason == "TopologyAffinityError"
    assert (node.state(), node.checkpoints()) == (before, files)


def test_a_seat_is_taken_back_when_the_pod_is_refused_after_it_was_given():
    explainer = Explainer()
    node = _node(resource_fit=True, watcher=explainer)
    assert node.admit(_seated("large", memory="1Pi")).reason == "OutOfmemory"
    assert "a seat on NUMA node 0" in explainer.to_text("large")
    assert node.pools.of(Seats) == Seats(0b11)


def test_a_copy_of_its_node_has_its_books_and_shares_the_modules_that_it_refers_to():
    node = _node()
    vars(node.providers["seats"])["program"] = json
    node.admit(_seated("first"))
    copied = node.copy()
    assert copied.admit(_seated("second")).admitted
    assert (copied.pools.of(Seats), node.pools.of(Seats)) == (Seats(0), Seats(0b10))


def test_its_state_survives_a_restart_in_a_file_of_its_own():
    node = _node()
    node.admit(_seated("first"))
    assert node.checkpoints()[FILE] == '{"first": {"c": 1}}'
    again = node.restart()
    assert [pod.admitted for pod in again.pods] == [True]
    assert _seats(node, "first") == 0b01
    node.remove("first")
    assert node.checkpoints()[FILE] == "{}"


def test_a_file_that_it_refuses_keeps_the_node_down():
    store = MemoryStore()
    store.write(FILE, "{")
    with pytest.raises(StartError, match=f"<state-dir>/{FILE} is damaged") as caught:
        _node(store=store)
    assert caught.value.stage == "seatmanager-start"


def test_its_hints_and_what_it_gave_are_explained():
    explainer = Explainer()
    _node(watcher=explainer).admit(_seated("first"))
    text = explainer.to_text("first")
    assert f"  seats, {SEAT}: preferred {{0}}, {{1}}" in text
    assert "  a seat on NUMA node 0" in text


def test_what_it_gave_is_told_where_other_holdings_are():
    """Without a line there: in answers of the protocol, as simulate prints them, and by PodResources."""
    node = _node()
    placed = node.admit(_seated("first"))
    answer = msgspec.to_builtins(admission_answer(placed))
    assert answer["containers"]["c"]["further"] == {"seats": [0]}
    assert msgspec.to_builtins(state_answer(node.state()))["containers"]["first"]["c"]["further"] == {"seats": [0]}
    assert "    seats: [0]" in placement_lines(placed, Outcomes(node, {}))
    assert placed.placements["c"].devices == {SEAT: ("seat-0",)}


def test_a_manager_without_an_opinion_is_not_printed():
    explainer = Explainer()
    _node(watcher=explainer).admit(Pod.from_dict(guaranteed("alone", 2)))
    assert "seats" not in explainer.to_text("alone")


def test_only_one_manager_says_on_which_cpus_containers_run():
    class Second(SeatManager):
        name = "second"

        @property
        def cpusets(self) -> Any:
            return self

    config = KubeletConfiguration.from_dict(static())
    with pytest.raises(ValueError, match="2 managers say on which CPUs"):
        Node(load_machine("intel-sapphirerapids-8480"), config, providers=(*PROVIDERS, Second))
