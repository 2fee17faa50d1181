"""``numa-conformance simulate``: what a node would do with pods."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ..cpuset import format_bits
from ..errors import StartError
from ..kube import ClusterObjects, LifeStep
from ..machine import allocation_map
from ..machine.picture_svg import machine_svg
from ..reference.node import AdmissionResult, Explainer
from ..simulation.departures import departure_line, departures
from ..simulation.node_inputs import (
    Beginning,
    NodeInputs,
    Question,
    from_node_options,
    node_options,
    read_all,
    tell_missing,
    tell_unseen,
)
from ..simulation.outcomes import ADVISED, Outcomes, headline, placement_lines
from ..simulation.step_lines import step_lines, steps_to_dict
from ..sources.versions import KubernetesVersion
from .options import FILE, INPUT, version
from .terminal import DIFFERENT, OK, notice, print_json, say, terminal_width

if TYPE_CHECKING:  # loaded when two nodes are compared
    from ..simulation.what_if import Comparison

_SHOWN_ALIKE = 3
"""Pods refused alike, one after the other, that are shown one by one."""


@click.command("simulate")
@click.argument("pods", nargs=-1, type=INPUT)
@from_node_options
@node_options
@click.option("--compare", "other_config", type=FILE, help="Another KubeletConfiguration: tell what changes.")
@click.option(
    "--compare-version", "other_version", type=version, help="Another version of Kubernetes: tell what changes."
)
@click.option("--explain", is_flag=True, help="Say for each pod why it was placed or refused as it was.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option("--svg", "as_svg", is_flag=True, help="Print a picture of the machine with its pods, as SVG.")
@click.option("--html", "as_html", is_flag=True, help="Print a web page: the pods and the picture.")
@click.pass_context
def command(
    ctx: click.Context,
    machine_name: str | None,
    dump: Path | None,
    as_it_is: bool,
    config_file: Path | None,
    pods: tuple[Path, ...],
    flags: str,
    kubernetes_version: KubernetesVersion,
    level: str,
    other_config: Path | None,
    other_version: KubernetesVersion | None,
    explain: bool,
    as_json: bool,
    as_svg: bool,
    as_html: bool,
) -> int:
    """Admit the pods of the files PODS, in order, to a node with this machine and configuration.

    A list in a file may have steps between pods, such as `- restart` or `- delete: POD` (docs/lives.md). With
    --from-node the node is one at work, with what it holds. Exits with 1 when a pod is refused, or ended for a critical
    one; with --compare or --compare-version, when a pod fares otherwise there (docs/what-if.md).
    """
    compares = other_config is not None or other_version is not None
    if as_json + as_svg + as_html > 1:
        raise click.UsageError("--json, --svg and --html exclude each other")
    for name, is_on in (("--html", as_html), ("--explain", explain)):
        if is_on and compares:
            raise click.UsageError(f"{name} tells of one node: leave out --compare and --compare-version")
    if dump is None and not (machine_name and pods):
        lacks = "PODS" if machine_name else "a --machine" if pods else "a --machine and PODS"
        raise click.UsageError(f"name {lacks}, or a node to go on from: --from-node")
    question = Question(machine_name, dump, flags, level, as_it_is)
    named = ctx.get_parameter_source("kubernetes_version") is not ParameterSource.DEFAULT
    wanted = read_all(pods, lives=True) if pods else ClusterObjects((), ())
    if (as_html or compares) and any(isinstance(event, LifeStep) for event in wanted.life):
        raise click.UsageError("steps are told as text, JSON and --svg, and of one node: see bisect for versions")
    inputs, beginning = question.begin(config_file, kubernetes_version if named else None, wanted)
    tell_missing(beginning.pods, inputs)
    most = 0 if compares else None if explain else ADVISED
    outcomes = _outcomes(inputs, beginning, Explainer() if explain else None, most)
    if explain:
        outcomes.behind = departures(beginning, inputs, outcomes)
    if not compares:
        return _print(outcomes, as_json=as_json, as_svg=as_svg, as_html=as_html)
    other = question.other(inputs, other_config, other_version)
    comparison = _compared(outcomes, inputs, other, beginning)
    if as_json:
        comparison.print_json()
    elif as_svg:
        comparison.print_svg()
    else:
        comparison.print_text()
    return comparison.exit_code


def _outcomes(inputs: NodeInputs, beginning: Beginning, explainer: Explainer | None, most: int | None) -> Outcomes:
    outcomes = beginning.outcomes(inputs, explainer, most)
    tell_unseen(beginning.pods, outcomes.node)
    return outcomes


def _compared(before: Outcomes, inputs: NodeInputs, other: NodeInputs, beginning: Beginning) -> Comparison:
    """Compare with another node; where it does not come up on what the node holds, with that node drained."""
    from ..simulation.what_if import Comparison

    title = other.title
    try:
        after = _outcomes(other, beginning, None, ADVISED)
    except StartError as error:
        if beginning.held is None:
            raise
        after = _outcomes(other, beginning.drained(), None, ADVISED)
        notice(f"on the node's state files this kubelet does not come up ({error.stage}): {error.message}")
        title += ", the node drained, its state files deleted, and all pods admitted anew"
    return Comparison(before, after, (inputs.title, title))


def _print(outcomes: Outcomes, *, as_json: bool, as_svg: bool, as_html: bool) -> int:
    if as_json:
        print_json({**outcomes.to_dict(), **({"steps": steps_to_dict(outcomes)} if outcomes.steps else {})})
    elif as_svg:
        click.echo(machine_svg(outcomes.node.machine, outcomes.owners), nl=False)
    elif as_html:
        click.echo(_page(outcomes), nl=False)
    else:
        _print_life(outcomes)
        _print_node(outcomes)
        click.echo(f"\n{outcomes.summary}")
    return OK if outcomes.all_run else DIFFERENT


def _page(outcomes: Outcomes) -> str:
    """Return a web page that needs nothing else: the summary, the machine with its pods, each pod."""
    from markupsafe import Markup  # only pages need templates

    from ..report.html import render

    node = outcomes.node
    reserved = node.pools.reserved
    pods = [
        (
            admission.admitted,
            headline(admission, outcomes),
            placement_lines(admission, outcomes),
            list(outcomes.advice[admission.uid].lines()) if admission.uid in outcomes.advice else [],
        )
        for admission in outcomes.in_order
    ]
    return render(
        "simulation.html",
        title=f"Pods on {node.machine.name}",
        summary=str(outcomes.summary),
        version=str(node.version),
        reserved=None if reserved is None else format_bits(reserved) or "none",
        shared=None if reserved is None else format_bits(node.pools.default) or "empty",
        pods=pods,
        # The picture escapes its texts itself.
        picture=Markup(machine_svg(node.machine, outcomes.owners)),
    )


def _print_life(outcomes: Outcomes) -> None:
    """Print pods and steps in their order, a line between them."""
    if not outcomes.steps:
        _print_pods(outcomes, outcomes.in_order)
        return
    ends = [step.after for step in outcomes.steps]
    for step, begin, end in zip([None, *outcomes.steps], [0, *ends], [*ends, len(outcomes.admissions)], strict=True):
        if step is not None:
            say("\n".join((*([""] if begin or step is not outcomes.steps[0] else []), *step_lines(step, outcomes))))
            if begin < end:
                click.echo()
        _print_pods(outcomes, outcomes.admissions[begin:end])


def _print_pods(outcomes: Outcomes, admissions: Sequence[AdmissionResult]) -> None:
    names, advice, explainer = outcomes.names, outcomes.advice, outcomes.explainer
    for refusal, group in groupby(
        admissions, lambda admission: explainer or admission.admitted or admission.uid in advice or admission.message
    ):
        alike = list(group)
        if isinstance(refusal, str) and len(alike) > _SHOWN_ALIKE:
            first, last = names[alike[0].uid], names[alike[-1].uid]
            say(f"{first} to {last}: {len(alike)} pods refused, {alike[0].reason}: {refusal}")
            continue
        for admission in alike:
            say(headline(admission, outcomes))
            for line in placement_lines(admission, outcomes):
                click.echo(f"    {line}")
            for line in advice[admission.uid].lines() if admission.uid in advice else ():
                say(f"    {line}")
            if explainer:
                say(explainer.to_text(admission.uid, indent="    "))
            for name in outcomes.behind.get(admission.uid, ()):
                say(f"    {departure_line(name)}")


def _print_node(outcomes: Outcomes) -> None:
    node, pools = outcomes.node, outcomes.node.pools
    click.echo()
    if pools.reserved is not None:
        click.echo(f"reserved: {format_bits(pools.reserved) or '(none)'}")
        click.echo(f"shared pool: {format_bits(pools.default) or '(empty)'}")
        click.echo(f"cpusets are written every {node.reconcile_period}")
    click.echo()
    click.echo(allocation_map(node.machine, outcomes.owners, width=terminal_width()))
