"""``numa-conformance cluster check-exporter`` and ``check-assignments``: what objects of a cluster say of its nodes."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from ..chapters import REQUIREMENTS, Requirement
from ..doctor.assigning import KINDS, read_assignments
from ..doctor.assignments import judge_assigned
from ..doctor.conversation import ExporterLook, KubeletEnd, converse
from ..doctor.exporters import ObjectFault
from ..documents import Text
from ..errors import Fault, UsageError
from ..lab.cluster.control import open_cluster
from .options import CLUSTER, INPUT, WITHIN, MachineName, machine_of
from .terminal import DIFFERENT, OK, print_json, say

EXPORTER, ASSIGNMENTS = "check-exporter", "check-assignments"
_Verdicts = Sequence[tuple[str, Requirement, ObjectFault | None]]


@click.command(EXPORTER)
@click.argument("nodes", metavar="[NODE...]", nargs=-1)
@CLUSTER
@click.option(
    "--steps", default=12, show_default=True, type=click.IntRange(0, 10_000), help="Pods that come or go, on each node."
)
@click.option("--seed", default=1, show_default=True, help="Which pods.")
@WITHIN
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(nodes: tuple[str, ...], name: str | None, steps: int, seed: int, within: float, *, as_json: bool) -> int:
    """Judge the exporter of NodeResourceTopology that runs on the nodes of a cluster that is up (`cluster up`).

    Pods come and go on each NODE (default: all), and the daemons of nodes restart. After each step the node's object
    is held against what its kubelet keeps. A node whose kubelet ends is reported, with why, and asked no more. Exits
    with 1 where a requirement is not met.
    """
    with open_cluster(name) as cluster:
        known = [node["name"] for node in cluster.ask("status")["nodes"]]
        events = list(converse(cluster, nodes or known, steps, seed, within))
    looks = [event for event in events if isinstance(event, ExporterLook)]
    ended = [event for event in events if isinstance(event, KubeletEnd)]
    if not looks:
        raise UsageError([Fault(f"node {event.node}", event.why) for event in ended])
    print_json(_as_json(looks, ended)) if as_json else say(*_lines(looks, ended))
    return DIFFERENT if any(look.unmet for look in looks) else OK


def _lines(looks: Sequence[ExporterLook], ended: Sequence[KubeletEnd]) -> Iterator[str]:
    requirements, verdicts = _requirements(EXPORTER), []
    for look in looks:
        first = {each.requirement.id: each for each in reversed(look.unmet)}
        verdicts += [(f"node {look.node}, {look.step}", known, first.get(known.id)) for known in requirements]
    yield from _headings(EXPORTER, verdicts)
    yield from (f"node {end.node} was asked no more, {end.step}: {end.why}" for end in ended)
    right = sorted(look.seconds for look in looks if not look.unmet)
    nodes = len({look.node for look in looks})
    slowest = f"; right after {right[-1]:.1f} s at most" if right else ""
    yield f"{len(looks)} looks at {nodes} nodes: {len(right)} right, {len(looks) - len(right)} wrong{slowest}"


def _requirements(command: str) -> list[Requirement]:
    return [requirement for requirement in REQUIREMENTS.values() if requirement.command == f"cluster {command}"]


def _headings(command: str, verdicts: _Verdicts) -> Iterator[str]:
    """Yield of each requirement whether it is met, and where it is not, the first fault and the sentence."""
    for known in _requirements(command):
        times = [(place, fault) for place, requirement, fault in verdicts if requirement == known]
        faults = [(place, fault) for place, fault in times if fault]
        word = ("not met" if faults else "met") if times else "not asked"
        yield f"{word:<9}  {known.id}" + (f", {len(faults)} times of {len(times)}" if faults else "")
        for place, fault in faults[:1]:
            yield f"    {place}: {fault.place}: {fault.got}; should be: {fault.allowed}"
            yield f"    {known.text}"
            yield f"    {known.address}: {known.rests_on[0].text}"


def _as_json(looks: Sequence[ExporterLook], ended: Sequence[KubeletEnd]) -> dict[str, Any]:
    rows = []
    for look in looks:
        unmet = list(map(_fault, look.unmet))
        rows.append({"node": look.node, "step": look.step, "seconds": round(look.seconds, 2), "unmet": unmet})
    ends = [{"node": item.node, "step": item.step, "why": item.why} for item in ended]
    return {"requirements": _sentences(EXPORTER), "looks": rows, "ended": ends}


def _sentences(command: str) -> dict[str, dict[str, str]]:
    return {
        each.id: {"text": each.text, "sentence": each.rests_on[0].text, "address": each.address}
        for each in _requirements(command)
    }


def _fault(unmet: ObjectFault) -> dict[str, str]:
    return {"requirement": unmet.requirement.id, "place": unmet.place, "got": unmet.got, "allowed": unmet.allowed}


@click.command(ASSIGNMENTS)
@click.argument("files", metavar="[FILE...]", nargs=-1, type=INPUT)
@CLUSTER
@click.option("--machine", "machine_name", type=MachineName(), help="That of nodes whose CPUs no object has.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def _assignments(files: tuple[Path, ...], name: str | None, machine_name: str | None, *, as_json: bool) -> int:
    """Judge what Koordinator, Volcano or Katalyst assigns to pods: CPUs that are there, of one pod, aligned.

    FILE has pods, nodes and what the tool publishes of nodes, as `kubectl get -A -o json` prints them; - is standard
    input. Without FILE they are those of a cluster that is up (`cluster up`). Exits with 1 where a promise is not kept.
    """
    nodes = read_assignments(files or [_objects(name)], machine_of(machine_name) if machine_name else None)
    verdicts = [(f"node {node}", *verdict) for node, each in nodes.items() for verdict in judge_assigned(each)]
    unmet = [{"node": place.removeprefix("node "), **_fault(fault)} for place, _, fault in verdicts if fault]
    count = sum(len(node.assignments) for node in nodes.values())
    if as_json:
        print_json({"requirements": _sentences(ASSIGNMENTS), "nodes": len(nodes), "assignments": count, "unmet": unmet})
    else:
        say(*_headings(ASSIGNMENTS, verdicts), f"assignments: {count}, on nodes: {len(nodes)}")
    return DIFFERENT if unmet else OK


def _objects(name: str | None) -> Text:
    """Return the objects of a cluster that is up, as one list."""
    objects: list[dict[str, Any]] = []
    with open_cluster(name) as cluster:
        for kind, path in KINDS.items():
            every = cluster.ask("api", path, "null", "GET") or {"items": []}
            objects += ({**each, "apiVersion": every["apiVersion"], "kind": kind} for each in every["items"])
    return Text("the cluster", json.dumps({"kind": "List", "items": objects}))
