"""Nodes on which what was admitted is refused later, though no less is free; and legal ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest

from directly import Directly
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.groups import GROUPS
from numa_conformance.judging.verdicts import HistoryVerdicts
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import FEATURES

Json = dict[str, Any]
AGAIN = "node/admission/admits-again-what-it-admitted"
INIT = "node/admission/an-init-container-no-larger-changes-nothing"
LARGER = "node/admission/admits-on-a-larger-machine"
REFUSED: Json = {"result": "rejected", "reason": "No", "message": "no"}


class Refuses:
    """The documented reference, but for pods that it refuses after all."""

    def __init__(self) -> None:
        self._reference = Directly(ReferenceTarget("documented"))
        self.description = self._reference.description
        self.restarts = self.removals = 0
        self.pool = ""
        self.machine: Any = None

    def call(self, method: str, params: Mapping[str, Any]) -> Json:
        if method == "node.start":
            self.restarts = self.removals = 0
            self.machine = params["machine"]
        self.restarts += method == "node.restart"
        if method == "node.admit" and self.refuses(params["pod"]):
            return {**REFUSED, "default_cpuset": self.pool}
        answer = self._reference.call(method, params)
        self.removals += method == "node.remove" and "p" in params["uid"]
        self.pool = answer.get("default_cpuset", self.pool)
        return answer

    def refuses(self, pod: Json) -> bool:
        return False


class AfterARestart(Refuses):
    """Admits nothing once it was restarted."""

    def refuses(self, pod: Json) -> bool:
        return self.restarts > 0


class WearsOut(Refuses):
    """Leaks: after a few removals nothing is left."""

    def refuses(self, pod: Json) -> bool:
        return self.removals > 12


class EndsInOneOrder(Refuses):
    """Loses what two pods had that came one after the other where the younger one goes first."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived: dict[str, int] = {}
        self.count, self.gone, self.lost = 0, -1, False

    def call(self, method: str, params: Mapping[str, Any]) -> Json:
        answer = super().call(method, params)
        if answer.get("result") == "admitted":
            self.count, self.gone = self.count + 1, -1
            self.arrived[params["pod"]["metadata"]["uid"]] = self.count
        elif method == "node.remove":
            number = self.arrived.pop(params["uid"], -1)
            self.lost |= number >= 0 and number == self.gone - 1
            self.gone = number
        return answer

    def refuses(self, pod: Json) -> bool:
        return self.lost


class KeepsFormerLives(Refuses):
    """Does not forget, when it starts on the same machine anew, the pods that it had."""

    def __init__(self) -> None:
        super().__init__()
        self.pods: set[str] = set()
        self.kept = False

    def call(self, method: str, params: Mapping[str, Any]) -> Json:
        if method == "node.start":
            known = self.machine is not None and len(self.machine["cpus"]) == len(params["machine"]["cpus"])
            self.kept = known and bool(self.pods)
            self.pods.clear()
        answer = super().call(method, params)
        if method == "node.remove":
            self.pods.discard(params["uid"])
        elif answer.get("result") == "admitted":
            self.pods.add(params["pod"]["metadata"]["uid"])
        return answer

    def refuses(self, pod: Json) -> bool:
        return self.kept


class InOneOrder(Refuses):
    """Needs the CPUs of a machine in ascending order."""

    def refuses(self, pod: Json) -> bool:
        told = [cpu["id"] for cpu in self.machine["cpus"]]
        return told != sorted(told)


class NeedsANewNumaNode(Refuses):
    """Refuses all on a machine with more NUMA nodes than the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.first: set[int] = set()

    def refuses(self, pod: Json) -> bool:
        numa = {cpu["numa"] for cpu in self.machine["cpus"]}
        self.first = self.first if self.first and self.first <= numa else numa
        return self.first < numa


class GoesByNames(Refuses):
    """Takes pods by their names."""

    def refuses(self, pod: Json) -> bool:
        return bool(pod["metadata"]["name"].startswith("z-"))


class TakesOffForOn(Refuses):
    """Lets pods in on a node alone whose options are all on."""

    def call(self, method: str, params: Mapping[str, Any]) -> Json:
        if method == "node.start":
            self.off = "false" in (params["kubelet"].get("cpuManagerPolicyOptions") or {}).values()
        return super().call(method, params)

    def refuses(self, pod: Json) -> bool:
        return self.off


class AddsInitContainers(Refuses):
    """Counts init containers beside app containers, and has room for one."""

    def refuses(self, pod: Json) -> bool:
        return bool(pod["spec"].get("initContainers"))


def verdicts(client: Any, enough: frozenset[str] = frozenset()) -> HistoryVerdicts:
    """Ask some relations; once ``enough`` is broken no more is asked."""
    scenarios = islice(GROUPS["relations"].scenarios(frozenset(FEATURES), 0), 12)
    outcome = Asking(scenarios, client, "1.32", enough=enough, only=frozenset({AGAIN, INIT, LARGER})).spend()
    assert not outcome.ended
    return outcome.verdicts


PLANTED: list[tuple[type[Refuses], str]] = [
    (AfterARestart, AGAIN),
    (WearsOut, AGAIN),
    (InOneOrder, AGAIN),
    (EndsInOneOrder, AGAIN),
    (KeepsFormerLives, AGAIN),
    (GoesByNames, AGAIN),
    (TakesOffForOn, AGAIN),
    (NeedsANewNumaNode, LARGER),
    (AddsInitContainers, INIT),
]


@pytest.mark.parametrize(("make", "requirement"), PLANTED)
def test_a_node_that_refuses_what_it_admitted_is_found_out(make: type[Refuses], requirement: str) -> None:
    assert requirement in verdicts(make(), frozenset({requirement})).unmet


def test_the_reference_admits_again() -> None:
    told = verdicts(Refuses())
    assert told.unmet == set()
    assert min(told.tests[AGAIN], told.tests[INIT]) > 20
