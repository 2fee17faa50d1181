"""Nodes that start with damaged state files, or those of other settings: wrong ones are found out, legal ones pass."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest

from asked_in_full import deep
from directly import Directly
from numa_conformance.machine import load_machine
from numa_conformance.protocol import FEATURES, ReferenceTarget
from numa_conformance.suite.asking.asking import Asking
from numa_conformance.suite.asking.groups import GROUPS, asked_in
from numa_conformance.suite.chapters import state_files
from numa_conformance.suite.generators.damages import NEEDED
from numa_conformance.suite.generators.workloads import guaranteed, static
from numa_conformance.suite.history.history import Head, History, Step
from numa_conformance.suite.judge.files import CPU_FILE
from numa_conformance.suite.judge.verdicts import ANSWERED, WELL_FORMED, Verdicts, judge
from worlds import judged_in

Json = dict[str, Any]
ALL = frozenset(FEATURES)
CPU, MEMORY, RESTART = "cpu-manager/state-file/", "memory-manager/state-file/", "node/restart/"


class Node:
    """The documented reference; wrong ones answer otherwise when they start anew."""

    def __init__(self) -> None:
        self._reference = Directly(ReferenceTarget("documented"))
        self.description = self._reference.description
        self.held: dict[str, Any] = {}
        self.pool = ""
        self.down = False

    def call(self, method: str, params: Mapping[str, Any]) -> Json:
        answer = self._reference.call(method, params)
        if method == "node.start":
            self.held, self.down = {}, False
        elif method == "node.admit" and answer["result"] == "admitted":
            self.held[params["pod"]["metadata"]["uid"]] = answer["containers"]
        elif method == "node.remove":
            self.held.pop(params["uid"], None)
        self.pool = answer.get("default_cpuset", self.pool)
        if method == "node.restart" or (method == "node.start" and params.get("files")):
            return self.again(answer, params)
        return answer

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return answer

    def up(self, pool: str, cpus: str | None = None) -> Json:
        """Return an answer by which every pod is there again, with what it had or with these CPUs."""
        containers = {
            uid: {name: {**held, "cpus": cpus or held["cpus"]} for name, held in own.items()}
            for uid, own in self.held.items()
        }
        pods = [{"result": "admitted", "uid": uid, "containers": own} for uid, own in containers.items()]
        return {"result": "restarted", "default_cpuset": pool, "pods": pods}


class KeepsWhatRuns(Node):
    """Legal: what runs is known of the container runtime, and a file that cannot be read is passed over."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        if answer["result"] == "failed" and params.get("files") and all(params["files"].values()) and self.held:
            return self.up(self.pool)
        return answer


class SharesEverything(Node):
    """Passes over a file that it cannot read, and takes all CPUs for free ones."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        if answer["result"] == "failed" and params.get("files"):
            return self.up("0-31")
        return answer


class GivesAllTheSame(SharesEverything):
    """Takes every number of a file that it cannot read for 1."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return self.up("0", "1") if answer["result"] == "failed" and params.get("files") else answer


class BelievesAnyNumber(Node):
    """Shares CPUs that a file names, though there are no such."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return self.up("0-999") if answer["result"] == "failed" and params.get("files") else answer


class NeverComesBack(Node):
    """Stays down once it was down."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        self.down = self.down or answer["result"] == "failed"
        return {"result": "failed", "stage": "cpumanager", "message": "broken"} if self.down else answer


class TakesAnyPolicy(Node):
    """Comes up with the state files of other settings."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return self.up(self.pool) if answer["result"] == "failed" and params.get("kubelet") else answer


class TakesAnyMachine(Node):
    """Comes up with the state file of another machine."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        if answer["result"] == "failed" and "machine" in params:
            return {"result": "started", "default_cpuset": "0-3", "reserved_cpus": "0", "allocatable_cpus": "1-3"}
        return answer


class ChangesNoPolicy(Node):
    """Stays down with another policy, deleted files or not."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        if (params.get("kubelet") or {}).get("cpuManagerPolicy") == "none":
            return {"result": "failed", "stage": "cpumanager", "message": "another policy"}
        return answer


def verdicts(make: type[Node], number: int = 12) -> Verdicts:
    outcome = Asking(islice(GROUPS["damages"].scenarios(ALL, 0), number), make(), "1.32").spend()  # type: ignore[arg-type]
    assert not outcome.ended
    return outcome.verdicts


def broken(make: type[Node]) -> set[str]:
    return {one.requirement for one in verdicts(make).broken}


PLANTED: list[tuple[type[Node], str]] = [
    (SharesEverything, RESTART + "damaged-files-give-nothing-twice"),
    (GivesAllTheSame, RESTART + "damaged-files-give-nothing-twice"),
    (BelievesAnyNumber, RESTART + "damaged-files-name-no-cpus-that-are-not-there"),
    (NeverComesBack, RESTART + "admits-again-what-was-there"),
    (TakesAnyPolicy, CPU + "policy-change-is-refused"),
    (TakesAnyMachine, CPU + "changed-cpus-are-refused"),
    (ChangesNoPolicy, CPU + "policy-change-works-once-deleted"),
    (ChangesNoPolicy, CPU + "policy-change-names-the-file"),
]


@pytest.mark.parametrize(("make", "requirement"), PLANTED)
def test_a_node_that_starts_wrongly_is_found_out(make: type[Node], requirement: str) -> None:
    assert requirement in broken(make)


@pytest.mark.parametrize("make", [Node, KeepsWhatRuns])
def test_staying_down_and_coming_up_as_before_are_both_legal(make: type[Node]) -> None:
    assert broken(make) == set()


@pytest.mark.parametrize(("before", "found"), [("2-3", True), ("1-2", False)])
def test_what_was_given_twice_before_is_no_fault_of_the_start(before: str, found: bool) -> None:
    """The state files say so: nobody can tell what they should have said."""

    def admitted(uid: str, cpus: str, pool: str) -> Step:
        answer = {"result": "admitted", "default_cpuset": pool, "containers": {"c": {"cpus": cpus}}}
        return Step("node.admit", {"pod": guaranteed(uid, 2)}, answer)

    back = {uid: {"c": {"cpus": cpus}} for uid, cpus in (("a", "0-1"), ("b", "1-2"))}
    pods = [{"result": "admitted", "uid": uid, "containers": containers} for uid, containers in back.items()]
    steps = (
        Step("node.start", {"kubelet": static()}, {"result": "started", "default_cpuset": "0-7", "reserved_cpus": "7"}),
        admitted("a", "0-1", "2-7"),
        admitted("b", before, "4-7"),
        Step("node.checkpoints", {}, {"checkpoints": {CPU_FILE: "{}"}}),
        Step(
            "node.restart",
            {"files": {CPU_FILE: "{ }"}},
            {"result": "restarted", "default_cpuset": "3-7", "pods": pods},
        ),
    )
    unmet = judge(History(Head("test", "", 0, load_machine("t1-one-socket-smt2"), "1.32"), steps)).unmet
    assert (RESTART + "damaged-files-give-nothing-twice" in unmet) == found


@deep
def test_every_damage_is_asked() -> None:
    asked = verdicts(Node, 60).asked
    assert [name for name in (*judged_in(state_files), *asked_in(GROUPS["damages"])) if not asked[name]] == []
    assert {ANSWERED, WELL_FORMED} <= asked.keys()


def test_a_target_without_state_files_is_not_asked() -> None:
    assert list(GROUPS["damages"].scenarios(ALL - NEEDED, 0)) == []
