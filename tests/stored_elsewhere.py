"""What hosts, schedulers, clusters and daemons below a kubelet made of questions, right and wrong, with verdicts.

Hosts, schedulers and clusters have no histories. Those of daemons such as NRI plugins came after the stored ones.
``python -m stored_elsewhere`` in the folder ``tests`` writes what is missing; as with stored histories, nothing is
written anew.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import runpy
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import daemons_of_ours
from directly import Directly
from mutants import MUTANTS
from numa_conformance.asking.drive import drive
from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.asking.findings.findings import Finding
from numa_conformance.asking.groups import GROUPS
from numa_conformance.cli.app import main as command
from numa_conformance.cpuset import CpuSet
from numa_conformance.files import data_folder
from numa_conformance.judging.verdicts import judge
from numa_conformance.lab.cluster.scheduled import _outcome, groups_of, reference_of, run_workload
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.faults import BadReply
from numa_conformance.wire.features import PROMISES
from numa_conformance.wire.history.history import histories_text, read_histories
from numa_conformance.wire.messages.host import Discovered
from numa_conformance.wire.messages.node import ContainerHolding, NodeState
from stored_histories import FOLDER

Json = dict[str, Any]
HOSTS = data_folder("conformance") / "host"
READING = runpy.run_path(str(HOSTS / "test_discovery.py"))
WRITING = runpy.run_path(str(HOSTS / "test_reconcile.py"))
READERS = {
    "test_finds_what_the_host_has": ("two-caches", "nodes-with-gaps"),
    "test_finds_the_caches_of_the_last_level": ("two-caches",),
    "test_finds_the_memory_of_numa_nodes": ("nodes-with-gaps",),
}
REACH, ALONE = "host/reconcile/cpusets-reach-the-cgroups", "host/reconcile/leaves-other-cgroups-alone"


class Answers:
    """A target that gives these answers, one after the other."""

    def __init__(self, *answers: object) -> None:
        self._left = list(answers)

    def ask(self, question: object) -> object:
        return self._left.pop(0)


class Recorded:
    """A target whose answers are noted."""

    def __init__(self, client: Client) -> None:
        self._client, self.answers = client, list[Any]()

    def ask(self, question: Any) -> Any:
        self.answers.append(self._client.ask(question))
        return self.answers[-1]


def stored(surface: str) -> list[Json]:
    """Return what is stored of hosts, schedulers, clusters or daemons."""
    with gzip.open(FOLDER / f"{surface}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judged(surface: str, record: Json) -> Any:
    """Judge what is stored by the suite of today."""
    return JUDGES[surface](record)


def _of_host(record: Json) -> list[str]:
    return (_read if "machines" in record else _written)(record)


def _read(record: Json) -> list[str]:
    test = READING[record["case"]]
    names = next(mark.args for mark in test.pytestmark if mark.name == "requirement")
    with TemporaryDirectory() as folder:
        try:
            test(Answers(*map(Discovered, record["machines"])), names, Path(folder), record["on"])
        except (Finding, BadReply):
            return list(names)
    return []


def _written(record: Json) -> list[str]:
    """Judge cgroups after a pass: those of containers, and those of no pod, with what these had before."""
    world = object.__new__(WRITING["World"])
    held: dict[str, dict[str, ContainerHolding]] = {}
    for uid, name, cpuset in record["cpusets"]:
        held.setdefault(uid, {})[name] = ContainerHolding("", cpuset=cpuset)
    assigned = {(uid, name): CpuSet.parse(cpus) for uid, name, cpus, _ in record["containers"]}
    with TemporaryDirectory() as folder:
        world.root, world.way, world.machine = Path(folder), tuple(record["way"]), load_machine("one-cpu")
        world.top = world.root / "cpuset" if world.way[0] == 1 else world.root
        world.assigned, world.pool = assigned, CpuSet.parse(record["pool"])
        world.target = Answers(*[NodeState(record["pool"], held)] * len(assigned))
        for uid, name, _, text in record["containers"]:
            world._write(world.folder((uid, name)), text)
        try:
            world.check((REACH,), assigned)
        except Finding:
            return [REACH]
    return [ALONE] if any(before != after for before, after in record["others"]) else []


def _of_scheduler(record: Json) -> list[Json]:
    """Judge pods as they became, on two nodes of one plan."""
    copies = {name: reference_of(record["plan"]) for name in ("a", "b")}
    outcomes = [_outcome(pod, copies) for pod in record["pods"]]
    verdicts = ({**asdict(one), "refused": one.is_refused, "held": one.is_held_back_wrongly} for one in outcomes)
    return json.loads(json.dumps(list(verdicts)))  # type: ignore[no-any-return]


def _of_cluster(record: Json) -> list[Json]:
    """Compare what became of pods with the simulation."""
    with TemporaryDirectory() as folder:
        for name, text in record["files"].items():
            Path(folder, name).write_text(text, encoding="utf-8")
        words = ("--fleet", "fleet.yaml", "--pods", "pods.yaml", "--compare", "became.yaml")
        answer = _printed(word if word[0] == "-" else f"{folder}/{word}" for word in words)
    return answer["LeastAllocated"]  # type: ignore[no-any-return]


def _printed(words: Iterator[str]) -> Json:
    with redirect_stdout(io.StringIO()) as printed, suppress(SystemExit):
        command(["simulate-cluster", *words, "--strategy", "LeastAllocated", "--json"])
    return json.loads(printed.getvalue())  # type: ignore[no-any-return]


def _of_daemon(record: Json) -> list[str]:
    """Judge a history by what its daemon promises: `judge` of a file leaves promises out."""
    (history,) = read_histories(io.StringIO(record["history"]))
    promised = tuple(f"{name}/" for name in record["promises"])
    return sorted(name for name in judge(history).unmet if name.startswith(promised))


JUDGES: dict[str, Callable[[Json], Any]] = {
    "host": _of_host,
    "scheduler": _of_scheduler,
    "cluster": _of_cluster,
    "nri": _of_daemon,
}


def _hosts() -> Iterator[Json]:
    """Yield what the reference and wrong readers and writers made of trees."""
    wrong = {name: make for name, make in MUTANTS.items() if any(each.startswith("host/") for each in make.breaks)}
    makers: dict[str, Callable[[], Any]] = {"right": lambda: ReferenceTarget("documented"), **wrong}
    for name, make in makers.items():
        client = Client(InProcess(make, name))
        for case, trees in READERS.items():
            for tree in trees:
                recorded = Recorded(client)
                with TemporaryDirectory() as folder, suppress(Finding, BadReply):
                    READING[case](recorded, ("any",), Path(folder), tree)
                machines = [dict(answer.machine) for answer in recorded.answers]
                yield {"name": name, "case": case, "on": tree, "machines": machines}
        for way in WRITING["WAYS"][::3]:
            with TemporaryDirectory() as folder:
                yield {"name": name, **_pass(client, Path(folder), way)}


def _pass(client: Client, root: Path, way: tuple[int, str]) -> Json:
    """Have a pass made over spoilt cgroups, and note what is there then."""
    machine, lot = load_machine("sparse-ids"), random.Random(str(way))
    world = WRITING["World"](NodeRun(client, REACH), client, machine, root, way, lot)
    world.come_and_go()
    world.spoil()
    world.reconcile()
    held = client.ask(WRITING["ReadState"]()).containers
    return {
        "way": way,
        "pool": str(world.pool),
        "containers": [(*key, str(cpus), world.text(world.folder(key))) for key, cpus in world.assigned.items()],
        "cpusets": [(uid, name, held[uid][name].cpuset) for uid, name in world.assigned],
        "others": [(text, world.text(folder)) for folder, text in world.others.items()],
    }


def _schedulers() -> Iterator[Json]:
    """Yield the pods of schedulers that know the kubelets, that do not, and that bind nothing."""
    pretended = runpy.run_path(str(Path(__file__).parent / "lab/cluster/test_scheduled.py"))["Pretended"]
    for name, choose in {
        "right": lambda takers, every: takers[0] if takers else None,
        "binds to the first node": lambda takers, every: every[0],
        "binds nothing": lambda takers, every: None,
    }.items():
        for policy in ("restricted", "single-numa-node"):
            pods: list[Json] = []

            class Noting(pretended):  # type: ignore[misc]
                def make(self, text: str, pods: list[Json] = pods) -> Json:
                    pods.append(super().make(text))
                    return pods[-1]

            cluster = Noting(policy, choose)
            list(run_workload(cluster, groups_of(cluster)[0], 1, 8, "any", lambda node: None))
            yield {"name": name, "plan": cluster.plan, "pods": pods}


def _clusters() -> Iterator[Json]:
    """Yield what became of pods as is simulated, and otherwise: on a worse node, and refused where it fits."""
    fleet = "- {nodes: worker-*, count: 3, machine: t3-two-numa-per-socket, kubelet: kubelet.yaml}\n"
    kubelet = "cpuManagerPolicy: static\nreservedSystemCPUs: '0,16'\ntopologyManagerPolicy: single-numa-node\n"
    request = "{limits: {cpu: 6, memory: 1Gi}}"
    refused = "status: {phase: Failed, reason: TopologyAffinityError}\n"

    def pods(nodes: Iterator[str]) -> str:
        texts = (f"metadata: {{name: p{number}}}\nspec: {{{node}containers: [{{name: c, resources: {request}}}]}}\n"
                 for number, node in enumerate(nodes))  # fmt: skip
        return "---\n".join(texts)

    waiting = pods(iter(["", "", "", ""]))
    places = [f"nodeName: worker-{number}, " for number in (0, 1, 2, 0)]
    for name, became in {
        "right": pods(iter(places)),
        "on one node": pods(iter([places[0]] * 4)),
        "refuses what fits": pods(iter(places)) + refused,
    }.items():
        files = {"fleet.yaml": fleet, "kubelet.yaml": kubelet, "pods.yaml": waiting, "became.yaml": became}
        yield {"name": name, "files": files}


def _daemons() -> Iterator[Json]:
    """Yield a history of each daemon of ours and of each way in which it is wrong."""
    for daemon, ways in daemons_of_ours.WRONG.items():
        for way in ("", *ways):
            client = Directly(getattr(daemons_of_ours, daemon)(way))
            scenarios = GROUPS["lives"].scenarios(client.claimed, 0)
            pools = (scenario for scenario in scenarios if scenario.generator == "pools")
            history, _ = drive(min(pools, key=lambda scenario: len(scenario.machine.cpus)), client, "1.37")
            yield {
                "name": way or "right",
                "promises": sorted(PROMISES.keys() & client.claimed),
                "history": histories_text([history]),
            }


def main() -> None:
    """Write what is missing."""
    made = {"host": _hosts, "scheduler": _schedulers, "cluster": _clusters, "nri": _daemons}
    for surface, records in made.items():
        file = FOLDER / f"{surface}.jsonl.gz"
        if not file.exists():
            verdicts = ({**record, "verdict": judged(surface, record)} for record in records())
            lines = [json.dumps(each) for each in verdicts if each["name"] == "right" or each["verdict"]]
            file.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))


if __name__ == "__main__":
    main()
