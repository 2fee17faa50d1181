"""``numa-conformance cluster check-assignments``: CPUs that schedulers assign themselves, judged as they promise."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from ..chapters import Requirement
from ..doctor.assigning import KINDS, read_assignments
from ..doctor.assignments import judge_assigned
from ..doctor.exporters import ExporterFault
from ..documents import Text
from ..lab.cluster.control import open_cluster
from .check_exporter import heading_as_json, heading_lines, requirements_of
from .options import CLUSTER, INPUT, MachineName, machine_of
from .terminal import DIFFERENT, OK, print_json, say

NAME = "check-assignments"
_Verdicts = Sequence[tuple[str, Requirement, ExporterFault | None]]


@click.command(NAME)
@click.argument("files", metavar="[FILE...]", nargs=-1, type=INPUT)
@CLUSTER
@click.option("--machine", "machine_name", type=MachineName(), help="That of nodes whose CPUs no object has.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(files: tuple[Path, ...], name: str | None, machine_name: str | None, *, as_json: bool) -> int:
    """Judge what Koordinator, Volcano or Katalyst assigns to pods: CPUs that are there, of one pod, aligned.

    FILE has pods, nodes and what the tool publishes of nodes, as `kubectl get -A -o json` prints them; - is standard
    input. Without FILE they are those of a cluster that is up (`cluster up`). Exits with 1 where a promise is not kept.
    """
    machine = machine_of(machine_name) if machine_name else None
    nodes = read_assignments(files or [_objects(name)], machine)
    verdicts = [(node, *verdict) for node, each in nodes.items() for verdict in judge_assigned(each)]
    count = sum(len(node.assignments) for node in nodes.values())
    if as_json:
        unmet = [{"node": node, **heading_as_json(fault)} for node, _, fault in verdicts if fault]
        print_json({"nodes": len(nodes), "assignments": count, "unmet": unmet})
    else:
        say("\n".join([*_lines(verdicts), f"assignments: {count}, on nodes: {len(nodes)}"]))
    return DIFFERENT if any(fault for *_, fault in verdicts) else OK


def _lines(verdicts: _Verdicts) -> Iterator[str]:
    times = Counter(requirement for _, requirement, _ in verdicts)
    for known in requirements_of(NAME):
        faults = [(f"node {node}", fault) for node, requirement, fault in verdicts if fault and requirement == known]
        yield from heading_lines(known, faults, times[known])


def _objects(name: str | None) -> Text:
    """Return the objects of a cluster that is up, as one list."""
    objects: list[dict[str, Any]] = []
    with open_cluster(name) as cluster:
        for kind, path in KINDS.items():
            every = cluster.ask("api", path, "null", "GET") or {"items": []}
            objects += ({**each, "apiVersion": every["apiVersion"], "kind": kind} for each in every["items"])
    return Text("the cluster", json.dumps({"kind": "List", "items": objects}))
