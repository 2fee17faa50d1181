"""``numa-conformance simulate``: what a node would do with pods."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from ..cpuset import format_bits
from ..errors import StartError
from ..kube import ClusterObjects, LifeStep
from ..reference.simulation import Answer, Comparison
from ..reference.simulation.node_inputs import NodeInputs
from ..reference.simulation.outcomes import ADVISED, headline, placement_lines
from ..reference.simulation.reading import read_all
from ..sources.versions import KubernetesVersion
from .node_at_work import other_inputs, question_of
from .node_options import from_node_options, node_options
from .options import FILE, INPUT, version
from .terminal import DIFFERENT, OK, notice, print_json, terminal_width


@click.command("simulate")
@click.argument("pods", nargs=-1, type=INPUT)
@from_node_options
@node_options
@click.option("--compare", "other_config", type=FILE, help="Another KubeletConfiguration: say what changes.")
@click.option(
    "--compare-version", "other_version", type=version, help="Another version of Kubernetes: say what changes."
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

    A list in a file may have steps between pods, such as `- restart` or `- delete: POD` (docs/steps.md). With
    --from-node the node is one at work, with what it holds. Exits with 1 when a pod is refused, or ended for a critical
    one; with --compare or --compare-version, when a pod comes out differently there (docs/what-if.md).
    """
    compares = other_config is not None or other_version is not None
    if as_json + as_svg + as_html > 1:
        raise click.UsageError("--json, --svg and --html exclude each other")
    for name, is_on in (("--html", as_html), ("--explain", explain)):
        if is_on and compares:
            raise click.UsageError(f"{name} is about one node: leave out --compare and --compare-version")
    if dump is None and not (machine_name and pods):
        lacks = "PODS" if machine_name else "a --machine" if pods else "a --machine and PODS"
        raise click.UsageError(f"name {lacks}, or a node to go on from: --from-node")
    named = ctx.get_parameter_source("kubernetes_version") is not ParameterSource.DEFAULT
    wanted = read_all(pods, notice, lives=True) if pods else ClusterObjects((), ())
    if (as_html or compares) and any(isinstance(event, LifeStep) for event in wanted.life):
        raise click.UsageError("steps are reported as text, JSON and --svg, and of one node: see bisect for versions")
    question = question_of(machine_name, dump, flags, level, as_it_is=as_it_is)
    inputs, beginning = question.begin(config_file, kubernetes_version if named else None, wanted)
    answer = Answer.of(inputs, beginning, notice, 0 if compares else ADVISED, explains=explain)
    if as_html:
        click.echo(_page(answer), nl=False)
        return OK if answer.admitted else DIFFERENT
    shown: Answer | Comparison = answer
    if compares:
        shown = answer.compare(_other(answer, other_inputs(question, inputs, other_config, other_version)))
    if as_json:
        print_json(shown.data)
    elif as_svg:
        click.echo(shown.svg, nl=False)
    else:
        click.echo(shown.to_text(terminal_width()))
    return OK if shown.is_well else DIFFERENT


def _other(answer: Answer, inputs: NodeInputs) -> Answer:
    """Ask another node the same; where it fails to start on what the node holds, with that node drained."""
    try:
        return Answer.of(inputs, answer.beginning, notice)
    except StartError as error:
        if answer.beginning.files is None:
            raise
        drained = Answer.of(inputs, answer.beginning.drained(), notice)
        notice(f"on the node's state files this kubelet does not come up ({error.stage}): {error.message}")
        title = f"{inputs.title}, the node drained, its state files deleted, and all pods admitted again"
        return replace(drained, title=title)


def _page(answer: Answer) -> str:
    """Return a web page that needs nothing else: the summary, the machine with its pods, each pod."""
    from markupsafe import Markup  # only pages need templates

    from ..report.html import render

    outcomes, node = answer.outcomes, answer.outcomes.node
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
        picture=Markup(answer.svg),
    )
