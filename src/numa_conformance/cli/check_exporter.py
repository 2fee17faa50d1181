"""``numa-conformance cluster check-exporter``: NodeResourceTopology against what kubelets of a cluster keep."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from ..chapters import REQUIREMENTS, Requirement
from ..doctor.exporters import ExporterLook, KubeletEnd, ExporterFault, converse
from ..errors import Fault, UsageError
from ..lab.cluster.control import open_cluster
from .options import CLUSTER, WITHIN
from .terminal import DIFFERENT, OK, print_json, say

NAME = "check-exporter"


def requirements_of(command: str) -> list[Requirement]:
    """Return what a command of `cluster` judges by."""
    return [requirement for requirement in REQUIREMENTS.values() if requirement.command == f"cluster {command}"]


@click.command(NAME)
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
    print_json(_as_json(looks, ended)) if as_json else say("\n".join(_lines(looks, ended)))
    return DIFFERENT if any(look.unmet for look in looks) else OK


def heading_lines(known: Requirement, faults: Sequence[tuple[str, ExporterFault]], times: int) -> Iterator[str]:
    """Yield whether a requirement is met, and where it is not the first fault, with where it was, and the sentence."""
    word = ("not met" if faults else "met") if times else "not asked"
    yield f"{word:<9}  {known.id}" + (f", {len(faults)} times of {times}" if faults else "")
    for place, unmet in faults[:1]:
        yield f"    {place}: {unmet.place}: {unmet.got}; should be: {unmet.allowed}"
        yield f"    {known.text}"
        yield f"    {known.address}: {known.rests_on[0].text}"


def _lines(looks: Sequence[ExporterLook], ended: Sequence[KubeletEnd]) -> Iterator[str]:
    for known in requirements_of(NAME):
        # of a look the first fault: the numbers are of looks
        firsts = ((look, next((each for each in look.unmet if each.requirement == known), None)) for look in looks)
        faults = [(f"node {look.node}, {look.step}", unmet) for look, unmet in firsts if unmet]
        yield from heading_lines(known, faults, len(looks))
    for end in ended:
        yield f"node {end.node} was asked no more, {end.step}: {end.why}"
    right = sorted(look.seconds for look in looks if not look.unmet)
    nodes = len({look.node for look in looks})
    slowest = f"; right after {right[-1]:.1f} s at most" if right else ""
    yield f"{len(looks)} looks at {nodes} nodes: {len(right)} right, {len(looks) - len(right)} wrong{slowest}"


def heading_as_json(unmet: ExporterFault) -> dict[str, str]:
    """Return a fault for programs."""
    return {"requirement": unmet.requirement.id, "place": unmet.place, "got": unmet.got, "allowed": unmet.allowed}


def _as_json(looks: Sequence[ExporterLook], ended: Sequence[KubeletEnd]) -> dict[str, Any]:
    requirements = {
        each.id: {"text": each.text, "sentence": each.rests_on[0].text, "address": each.address}
        for each in requirements_of(NAME)
    }
    rows = []
    for look in looks:
        unmet = [heading_as_json(item) for item in look.unmet]
        rows.append({"node": look.node, "step": look.step, "seconds": round(look.seconds, 2), "unmet": unmet})
    ends = [{"node": item.node, "step": item.step, "why": item.why} for item in ended]
    return {"requirements": requirements, "looks": rows, "ended": ends}
