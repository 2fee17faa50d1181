"""How a node agent comes up that ended between two writes of its state files, or finds damaged or old ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any

import pytest

from asked_in_full import deep
from directly import Directly
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators import damages
from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.asking.groups import GROUPS, requirements_in
from numa_conformance.judging.files import CPU_FILE
from numa_conformance.judging.verdicts import ANSWERED, WELL_FORMED, HistoryVerdicts, judge
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import FEATURES, Client, InProcess
from numa_conformance.wire.history.history import Head, History, Step

COMES_UP = "node/restart/comes-up-after-a-crash"
TWO_PLACES = "node/restart/a-crash-leaves-no-cpu-in-two-places"
MOVES = "node/restart/a-crash-moves-no-running-container"
OLD, BETWEEN, NEW = "the first pod", "both pods, half written", "both pods"
FILE = "state"
ALL = frozenset(FEATURES)


def admitted(cpus: str, pool: str) -> dict[str, Any]:
    return {"result": "admitted", "default_cpuset": pool, "containers": {"c": {"cpus": cpus}}}


def again(pool: str, **pods: str) -> dict[str, Any]:
    told = [{"uid": uid, "result": "admitted", "containers": {"c": {"cpus": cpus}}} for uid, cpus in pods.items()]
    return {"result": "restarted", "default_cpuset": pool, "pods": told}


def crash(text: str, answer: Mapping[str, Any], *, writes: bool = True) -> HistoryVerdicts:
    """Judge a restart with this text: pod a runs on CPUs 1 and 5, pod b came with 2 and 6 in two writes."""
    files = {"result": "checkpoints", "checkpoints": {FILE: NEW}}
    if writes:
        files["writes"] = [{"file": FILE, "text": text} for text in (BETWEEN, NEW)]
    steps = (
        Step("node.start", {"kubelet": static()}, {"result": "started", "default_cpuset": "0-7", "reserved_cpus": "0"}),
        Step("node.admit", {"pod": guaranteed("a", 2)}, admitted("1,5", "0,2-4,6-7")),
        Step("node.run", {"uid": "a"}, {**admitted("1,5", "0,2-4,6-7"), "result": "started"}),
        Step("node.checkpoints", {}, {"result": "checkpoints", "checkpoints": {FILE: OLD}}),
        Step("node.admit", {"pod": guaranteed("b", 2)}, admitted("2,6", "0,3-4,7")),
        Step("node.checkpoints", {}, files),
        Step("node.restart", {"files": {FILE: text, "another": None}}, answer),
    )
    return judge(History(Head("crash", "", 0, load_machine("t1-one-socket-smt2"), "1.32"), steps))


AFTER_A_CRASH: list[tuple[Mapping[str, Any], set[str]]] = [
    (again("0,3-4,7", a="1,5", b="2,6"), set()),
    (again("0,2,4,6", a="1,5", b="3,7"), set()),
    (again("0,2-4,6-7", a="1,5"), set()),
    (again("0,3-4,7", a="2,6", b="1,5"), {MOVES}),
    (again("0,2-4,6-7", b="1,5"), {MOVES}),
    (again("0,2-4,6-7", a="1,5", b="1,5"), {TWO_PLACES}),
    (again("0,2-4,6-7", a="1,5", b="2,6"), {TWO_PLACES}),
    ({"result": "failed", "stage": "cpumanager", "message": "broken"}, {COMES_UP}),
]


@pytest.mark.parametrize("text", [OLD, BETWEEN, NEW])
@pytest.mark.parametrize(
    ("answer", "wrong"),
    AFTER_A_CRASH,
    ids=["new", "old, placed anew", "old", "moved", "lost", "twice", "given and shared", "down"],
)
def test_what_comes_up_after_a_crash(text: str, answer: Mapping[str, Any], wrong: set[str]) -> None:
    verdicts = crash(text, answer)
    assert verdicts.tests[COMES_UP] == 1
    assert verdicts.unmet == wrong


def test_files_that_the_node_never_wrote_are_no_crash() -> None:
    down = {"result": "failed", "stage": "cpumanager", "message": "broken"}
    assert not {COMES_UP, TWO_PLACES, MOVES} & crash("damaged", down).tests.keys()
    assert not {COMES_UP, TWO_PLACES, MOVES} & crash(BETWEEN, down, writes=False).tests.keys()


def test_the_reference_tells_its_writes_in_order() -> None:
    reference = Client(InProcess(lambda: ReferenceTarget("documented"), "reference"))
    outcome = Asking(GROUPS["crashes"].scenarios(ALL, 0), reference, "1.32").spend()
    assert (outcome.ended, outcome.verdicts.unmet & {COMES_UP, TWO_PLACES, MOVES}) == ([], set())
    assert {name for name in requirements_in(GROUPS["crashes"]) if not outcome.verdicts.tests[name]} == set()


def test_a_target_that_does_not_tell_its_writes_is_not_asked() -> None:
    assert list(GROUPS["crashes"].scenarios(ALL - damages.NEEDED_FOR_CRASHES, 0)) == []


class _WritesTwice:
    """Writes its state file first with a checksum that is not of its content, then with the right one."""

    def __init__(self) -> None:
        self._reference = Client(InProcess(lambda: ReferenceTarget("documented"), "reference"))
        self.description = self._reference.description

    def call(self, method: str, params: Mapping[str, Any]) -> Any:
        answer = self._reference.call(method, params)
        name = "cpu_manager_state"
        if method == "node.checkpoints" and answer.get("writes"):
            first = next((write for write in answer["writes"] if write["file"] == name), None)
            if first is not None:
                half = json.loads(first["text"]) | {"defaultCpuSet": "0"}
                answer["writes"].insert(0, {"file": name, "text": json.dumps(half)})
        return answer


def test_a_node_that_cannot_read_what_it_wrote_is_noticed() -> None:
    outcome = Asking(GROUPS["crashes"].scenarios(ALL, 0), _WritesTwice(), "1.32").spend()  # type: ignore[arg-type]
    assert COMES_UP in outcome.verdicts.unmet


Json = dict[str, Any]


class Node:
    """The documented reference; others answer otherwise when they start anew."""

    def __init__(self) -> None:
        self._reference = Directly(ReferenceTarget("documented"))
        self.description = self._reference.description
        self._held: dict[str, Any] = {}
        self.pool = ""
        self.down = False

    def call(self, method: str, params: Mapping[str, Any]) -> Json:
        answer = self._reference.call(method, params)
        if method == "node.start":
            self._held, self.down = {}, False
        elif method == "node.admit" and answer["result"] == "admitted":
            self._held[params["pod"]["metadata"]["uid"]] = answer["containers"]
        elif method == "node.remove":
            self._held.pop(params["uid"], None)
        starts_anew = method == "node.restart" or (method == "node.start" and params.get("files"))
        told = self.again(answer, params) if starts_anew else answer
        self.pool = told.get("default_cpuset", self.pool)
        return told

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return answer

    def up(self, pool: str, cpus: str | None = None) -> Json:
        """Return an answer by which every pod is there again, with what it had or with these CPUs."""
        pods = [
            {
                "result": "admitted",
                "uid": uid,
                "containers": {name: {**held, "cpus": cpus or held["cpus"]} for name, held in own.items()},
            }
            for uid, own in self._held.items()
        ]
        return {"result": "restarted", "default_cpuset": pool, "pods": pods}


class KeepsWhatRuns(Node):
    """Legal: what runs is known of the container runtime, and a file that cannot be read is passed over."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        if answer["result"] == "failed" and self._held and all((params.get("files") or {"": ""}).values()):
            return self.up(self.pool)
        return answer


def damaged(client: Any, number: int = 12, enough: frozenset[str] = frozenset()) -> HistoryVerdicts:
    """Ask and judge; with ``enough`` by that alone, until it is broken."""
    scenarios = islice(GROUPS["damages"].scenarios(ALL, 0), number)
    outcome = Asking(scenarios, client, "1.32", enough=enough, only=enough or None).spend()
    assert not outcome.ended
    return outcome.verdicts


@pytest.mark.parametrize("make", [Node, KeepsWhatRuns])
def test_staying_down_and_coming_up_as_before_are_both_legal(make: type[Node]) -> None:
    assert damaged(make()).unmet == set()


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
            "node.restart", {"files": {CPU_FILE: "{ }"}}, {"result": "restarted", "default_cpuset": "3-7", "pods": pods}
        ),
    )
    unmet = judge(History(Head("test", "", 0, load_machine("t1-one-socket-smt2"), "1.32"), steps)).unmet
    assert ("node/restart/damaged-files-give-nothing-twice" in unmet) == found


@deep
def test_every_damage_is_asked() -> None:
    asked = damaged(Node(), 60).tests
    assert [name for name in (*requirements_in(GROUPS["damages"]), ANSWERED, WELL_FORMED) if not asked[name]] == []


def test_a_target_without_state_files_is_not_asked() -> None:
    assert list(GROUPS["damages"].scenarios(ALL - damages.NEEDED, 0)) == []
