"""``Scenario``: what a generator yields: a machine, and a script that asks."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...machine import Machine, catalogue_names, load_machine

Question = tuple[str, Mapping[str, Any]]
"""A method and its parameters, without the machine."""
Answer = Mapping[str, Any]
Script = Generator[Question, Answer, None]
"""Yields questions and is sent the answers; ends when it has asked enough."""

WITH_MACHINE = frozenset({"pick", "allocate", "hints", "node.start", "plugin.start", "claims.start"})
"""The questions that tell the machine."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What a generator yields: where it comes from, the machine, and a script that asks."""

    generator: str
    cell: str
    machine: Machine
    script: Callable[[], Script]
    seed: int = 0


LIVES: list[Callable[[frozenset[str], Sequence[Machine] | None, int], Iterator[Scenario]]] = []
"""Lives are short scripts that provoke what chance rarely draws, by what is claimed, the machines that alone are asked,
and a seed. Chapters add theirs when they are imported."""


def start(kubelet: Mapping[str, Any]) -> Question:
    """Ask a node to come up."""
    return "node.start", {"kubelet": kubelet}


def admit(pod: Mapping[str, Any]) -> Question:
    """Ask a node to admit a pod."""
    return "node.admit", {"pod": pod}


def remove(uid: str) -> Question:
    """Ask a node to let a pod go."""
    return "node.remove", {"uid": uid}


def ask_all(questions: Iterable[Question]) -> Script:
    """Ask questions that do not depend on the answers, but for those after a start that fails."""
    for question in questions:
        answer = yield question
        if question[0] == "node.start" and answer.get("result") != "started":
            return


def come_and_go(pods: Iterable[Mapping[str, Any]]) -> Script:
    """Ask for pods one after the other; what is admitted goes again before the next comes."""
    for wanted in pods:
        if (yield admit(wanted)).get("result") == "admitted":
            yield remove(wanted["metadata"]["uid"])


def or_the_catalogue(machines: Sequence[Machine] | None, most_cpus: int | None = None) -> Iterable[Machine]:
    """Return the machines that are named, or else those of the catalogue with no more CPUs, each read as it is met."""
    if machines is not None:
        return machines
    known = map(load_machine, catalogue_names())
    return (machine for machine in known if most_cpus is None or len(machine.cpus) <= most_cpus)
