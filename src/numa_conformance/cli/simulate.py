"""``numa-conformance simulate``: what a node would do with pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import click
import msgspec

from ..advice import Advice, advise
from ..cpuset import format_bits
from ..documentation.versions import KubernetesVersion
from ..errors import KubeletCrashes, KubeletFails, KubeletHangs, closest
from ..kube import Pod, pod_requests
from ..kube.resource_names import is_huge_page
from ..machine import allocation_map, load_machine
from ..machine.picture_svg import machine_svg
from ..node import Admission, Explainer, Node, node_allocatable
from ..protocol.answers import admission_answer
from .exits import DIFFERENT, OK
from .node_inputs import NodeInputs, node_options, read_all_pods
from .terminal import notice, print_json, terminal_width, with_progress

__all__ = ["command"]

_ADVISED = 3
"""Kinds of refusals that are looked into unless all are asked for: one takes as long as hundreds of admissions."""
_NO_ANSWER = (KubeletCrashes.__name__, KubeletHangs.__name__)
_SHOWN_ALIKE = 3
"""Pods refused alike, one after the other, that are shown one by one."""


@click.command("simulate")
@click.option("--machine", "machine_name", required=True, help="A name of the catalogue, or a file.")
@click.argument("pods", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@node_options
@click.option("--explain", is_flag=True, help="Say for each pod why it was placed or refused as it was.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option("--svg", "as_svg", is_flag=True, help="Print a picture of the machine with its pods, as SVG.")
def command(
    machine_name: str,
    config_file: Path | None,
    pods: tuple[Path, ...],
    flags: str,
    kubernetes_version: KubernetesVersion,
    level: str,
    explain: bool,
    as_json: bool,
    as_svg: bool,
) -> int:
    """Admit the pods of the files PODS, in order, to a node with this machine and configuration.

    Exits with 1 when a pod is refused.
    """
    if as_json and as_svg:
        raise click.UsageError("--json and --svg exclude each other")
    machine = load_machine(machine_name)
    inputs = NodeInputs.read(machine, config_file, flags, kubernetes_version, level)
    wanted = read_all_pods(pods)
    explainer = Explainer() if explain else None
    node = inputs.node(watcher=explainer)
    _tell_unseen(wanted, node)
    _tell_missing(wanted, node_allocatable(machine, inputs.config), machine.name)
    admissions, advice = _admitted(node, wanted, None if explain else _ADVISED)
    names = {pod.uid: f"{pod.namespace}/{pod.name}" for pod in wanted}
    if as_json:
        print_json(_as_json(node, admissions, names, explainer, advice))
    elif as_svg:
        click.echo(machine_svg(machine, _owners(node, names)), nl=False)
    else:
        _print_pods(node, admissions, names, explainer, advice)
        _print_node(node, names)
        click.echo(f"\n{_summary(admissions)}")
    return OK if all(one.admitted for one in admissions) else DIFFERENT


def _admitted(node: Node, pods: list[Pod], most: int | None) -> tuple[list[Admission], dict[str, Advice]]:
    """Admit pods in order, and say of the first ``most`` kinds of refusals, once each, what would change them."""
    admissions: list[Admission] = []
    advice: dict[str, Advice] = {}
    kinds: set[object] = set()
    for pod in with_progress(pods, "admitting", len(pods)):
        outcome = _outcome(node, pod)
        admissions.append(outcome)
        if not outcome.admitted and outcome.reason not in _NO_ANSWER:
            kind = (outcome.reason, *((*one.requests.items(), *one.limits.items()) for one in pod.all_containers))
            if kind not in kinds and (most is None or len(kinds) < most):
                advice[pod.uid] = advise(node, pod)
            kinds.add(kind)
    return admissions, advice


def _outcome(node: Node, pod: Pod) -> Admission:
    """Admit a pod; that the kubelet has no answer is an outcome too."""
    try:
        return node.admit(pod)
    except KubeletFails as error:
        return Admission(pod.uid, pod.qos, node.pools, reason=type(error).__name__, message=str(error))


def _summary(admissions: list[Admission]) -> str:
    reasons = Counter(one.reason for one in admissions if one.reason is not None)
    why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    admitted = sum(one.admitted for one in admissions)
    return f"{admitted} admitted, {reasons.total()} refused" + (f": {why}" if why else "")


def _tell_missing(pods: Iterable[Pod], offered: Iterable[str], machine: str) -> None:
    """Tell which resources are asked for that the machine lacks: a kubelet does not look at them either."""
    asking: dict[str, list[str]] = {}
    for pod in pods:
        for resource in pod_requests(pod).keys() - {*offered, "ephemeral-storage"}:
            asking.setdefault(resource, []).append(f"{pod.namespace}/{pod.name}")
    for resource, names in sorted(asking.items()):
        who = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        near = closest(resource, offered)
        hint = f"; did you mean {near!r}?" if near else ""
        unseen = "" if is_huge_page(resource) else "; the kubelet does not look at it"
        notice(f"{machine} has no {resource}, which {who} asks for{unseen}{hint}")


def _tell_unseen(pods: list[Pod], node: Node) -> None:
    unseen = [f"{pod.namespace}/{pod.name}" for pod in pods if pod.has_pod_level]
    if unseen and not node.gates.enabled("PodLevelResources"):
        notice(f"spec.resources of {', '.join(unseen)} is not looked at: the gate PodLevelResources is off")


def _as_json(
    node: Node,
    admissions: list[Admission],
    names: dict[str, str],
    explainer: Explainer | None,
    advice: dict[str, Advice],
) -> dict[str, object]:
    pools = node.pools
    reasons = Counter(one.reason for one in admissions if one.reason is not None)
    return {
        "machine": node.machine.name,
        "reserved_cpus": None if pools.reserved is None else format_bits(pools.reserved),
        "default_cpuset": format_bits(pools.default),
        "reconcile_period": node.reconcile_period,
        "summary": {"admitted": sum(one.admitted for one in admissions), "refused": dict(reasons)},
        "pods": [
            {
                "pod": names[one.uid],
                "uid": one.uid,
                **msgspec.to_builtins(admission_answer(one)),
                "phase": one.pod_phase,
                "statusMessage": one.pod_message,
                **({"explanation": explainer.to_dict(one.uid)} if explainer else {}),
                **({"advice": advice[one.uid].to_dict()} if one.uid in advice else {}),
            }
            for one in admissions
        ],
    }


def _print_pods(
    node: Node,
    admissions: list[Admission],
    names: dict[str, str],
    explainer: Explainer | None,
    advice: dict[str, Advice],
) -> None:
    for told, group in groupby(admissions, lambda one: explainer or one.admitted or one.uid in advice or one.message):
        alike = list(group)
        if isinstance(told, str) and len(alike) > _SHOWN_ALIKE:
            first, last = names[alike[0].uid], names[alike[-1].uid]
            click.echo(f"{first} to {last}: {len(alike)} pods refused, {alike[0].reason}: {told}")
            continue
        for one in alike:
            click.echo(_headline(one, names[one.uid]))
            _print_placements(one, node)
            for line in advice[one.uid].lines() if one.uid in advice else ():
                click.echo(f"    {line}")
            if explainer:
                click.echo(explainer.to_text(one.uid, indent="    "))


def _print_placements(one: Admission, node: Node) -> None:
    for name, placed in (one.placements or {}).items():
        click.echo(f"    {name}: {_placement_line(placed.cpus, node)}")
        for block in placed.memory or ():
            click.echo(f"        {block if block.bytes else f'{block.type}: handed on to later containers'}")
        for resource, ids in (placed.devices or {}).items():
            click.echo(f"        {resource}: {', '.join(ids)}")


def _print_node(node: Node, names: dict[str, str]) -> None:
    pools = node.pools
    click.echo()
    if pools.reserved is not None:
        click.echo(f"reserved: {format_bits(pools.reserved) or '(none)'}")
        click.echo(f"shared pool: {format_bits(pools.default) or '(empty)'}")
        click.echo(f"cpusets are written every {node.reconcile_period}")
    click.echo()
    click.echo(allocation_map(node.machine, _owners(node, names), width=terminal_width()))


def _headline(one: Admission, name: str) -> str:
    if one.admitted:
        return f"{name} ({one.qos}): admitted"
    if one.reason in _NO_ANSWER:
        return f"{name} ({one.qos}): no answer, {one.message}"
    return f"{name} ({one.qos}): refused, {one.reason}: {one.message}"


def _placement_line(cpus: int, node: Node) -> str:
    if cpus:
        return f"exclusive CPUs {format_bits(cpus)}"
    return "the shared pool" if node.pools.reserved is not None else "all CPUs (policy none)"


def _owners(node: Node, names: dict[str, str]) -> dict[str, int]:
    reserved = node.pools.reserved
    owners = {} if reserved is None else {"reserved": reserved}
    for uid, placements in node.state().pods.items():
        for container, placed in placements.items():
            if placed.cpus:
                owners[f"{names.get(uid, uid)}/{container}"] = placed.cpus
    return owners
