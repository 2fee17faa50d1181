"""``numa-conformance simulate``: what a node would do with pods."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import __version__
from ..cpuset import format_bits
from ..errors import Fault, StartError, UsageError
from ..files import read_bounded
from ..kube import ClusterObjects
from ..machine import catalogue_names, machine_to_yaml
from ..reference.simulation.answer import Answer, ask
from ..reference.simulation.link import MOST, digest, link
from ..reference.simulation.node_inputs import NodeInputs
from ..reference.simulation.outcomes import ADVISED
from ..reference.simulation.reading import read_all
from ..sources.versions import KubernetesVersion
from .node_at_work import NodeOptions, node_at_work_options
from .options import FILE, INPUT, version
from .terminal import DIFFERENT, OK, echo_picture, notice, print_json, terminal_width

if TYPE_CHECKING:  # loaded when two nodes are compared
    from ..reference.simulation.what_if import Comparison


@click.command("simulate")
@click.argument("pods", nargs=-1, type=INPUT)
@node_at_work_options
@click.option("--compare", "other_config", type=FILE, help="Another KubeletConfiguration: say what changes.")
@click.option(
    "--compare-version", "other_version", type=version, help="Another version of Kubernetes: say what changes."
)
@click.option("--explain", is_flag=True, help="Say for each pod why it was placed or refused as it was.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
@click.option("--svg", "as_svg", is_flag=True, help="Print a picture of the machine with its pods, as SVG.")
@click.option("--html", "as_html", is_flag=True, help="Print a web page: the pods and the picture.")
@click.option("--link", "as_link", is_flag=True, help="Print the address at which a browser answers the same.")
@click.option(
    "--link-base", default="playground/", show_default=True, help="Where the page is: below the documentation's site."
)
def command(
    pods: tuple[Path, ...],
    node: NodeOptions,
    other_config: Path | None,
    other_version: KubernetesVersion | None,
    explain: bool,
    as_json: bool,
    as_svg: bool,
    as_html: bool,
    as_link: bool,
    link_base: str,
) -> int:
    """Admit the pods of the files PODS, in order, to a node with this machine and configuration.

    A list in a file may have steps between pods, such as `- restart` or `- delete: POD` (docs/steps.md). With
    --from-node the node is one at work, with what it holds. Exits with 1 when a pod is refused, or ended for a critical
    one; with --compare or --compare-version, when a pod comes out differently there (docs/what-if.md).
    """
    compares = other_config is not None or other_version is not None
    if as_json + as_svg + as_html + as_link > 1:
        raise click.UsageError("--json, --svg, --html and --link exclude each other")
    if compares and explain:
        raise click.UsageError("--explain is about one node: leave out --compare and --compare-version")
    if node.dump is None and not (node.machine_name and pods):
        lacks = "PODS" if node.machine_name else "a --machine" if pods else "a --machine and PODS"
        raise click.UsageError(f"name {lacks}, or a node to go on from: --from-node")
    inputs, beginning = node.begin(read_all(pods, notice, lives=True) if pods else ClusterObjects((), ()))
    answer = ask(inputs, beginning, notice, 0 if compares else ADVISED, explains=explain)
    shown: Answer | Comparison = answer
    is_well = answer.admitted
    other = node.other(inputs, other_config, other_version) if compares else None
    if other is not None:
        shown = answer.compare(_other(answer, other))
        is_well = not shown.changed
    if as_link:
        click.echo(_question_link(link_base, node, pods, answer, other))
    elif as_html:
        click.echo(_page(shown, answer), nl=False)
    elif as_json:
        print_json(shown.data)
    elif as_svg:
        click.echo(shown.svg, nl=False)
    else:
        echo_picture(shown.to_text(terminal_width()))
    return OK if is_well else DIFFERENT


def _other(answer: Answer, inputs: NodeInputs) -> Answer:
    """Ask another node the same; where it fails to start on what the node holds, with that node drained."""
    try:
        return ask(inputs, answer.beginning, notice)
    except StartError as error:
        if answer.beginning.files is None:
            raise
        drained = ask(inputs, answer.beginning.drained(), notice)
        notice(f"on the node's state files this kubelet does not come up ({error.stage}): {error.message}")
        title = f"{inputs.title}, the node drained, its state files deleted, and all pods admitted again"
        return replace(drained, title=title)


def _page(shown: "Answer | Comparison", answer: Answer) -> str:
    """Return a web page that needs nothing else: the summary, the machine with its pods, each pod and step."""
    from markupsafe import Markup  # only pages need templates

    from ..report.html import render

    pools = answer.outcomes.node.pools
    reserved = None if shown is not answer or pools.reserved is None else format_bits(pools.reserved) or "none"
    return render(
        "simulation.html",
        title=f"Pods on {answer.inputs.machine.name}",
        shown=shown,
        version=str(answer.inputs.version),
        reserved=reserved,
        shared=format_bits(pools.default) or "empty",
        # The picture escapes its texts itself.
        picture=Markup(shown.svg),
    )


def _question_link(base: str, node: NodeOptions, pods: Sequence[Path], answer: Answer, other: NodeInputs | None) -> str:
    """Return the address at which a browser answers the same; raises ``UsageError`` for what is not in files."""
    if node.dump is not None or Path("-") in pods:
        raise UsageError(Fault("--link", "cannot hold a node at work, or the standard input", "--machine and files"))
    inputs, is_known = answer.inputs, node.machine_name in catalogue_names()
    question = {
        "machine": node.machine_name if is_known else "",
        "machineText": "" if is_known else machine_to_yaml(inputs.machine),
        "version": str(inputs.version),
        "level": inputs.level,
        "config": _written(inputs) if node.flags else _text(node.config_file) if node.config_file else "",
        "pods": "---\n".join(_text(path).rstrip("\n") + "\n" for path in pods),
        "otherVersion": str(other.version) if other else "",
        "otherConfig": _written(other) if other else "",
    }
    return link(base, {**question, "by": __version__, "digest": digest(answer)})


def _written(inputs: NodeInputs) -> str:
    return json.dumps(inputs.config.to_dict(), indent=1)


def _text(path: Path) -> str:
    return read_bounded(path, MOST).decode()
