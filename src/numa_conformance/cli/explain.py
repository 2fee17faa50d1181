"""``numa-conformance explain``: pods that a kubelet refused, from ``kubectl get pods`` to the answer."""

from pathlib import Path

import click
from click.core import ParameterSource

from ..kube import read_kubelet_configuration, with_flags
from ..reference.simulation.answer import Answer
from ..reference.simulation.explained import Explanation
from ..reference.simulation.reading import quirks_of, read_all
from ..sources.versions import NEWEST, KubernetesVersion
from .logged_hints import logged_hints, tell_hints
from .node_at_work import question_of
from .node_options import from_node_options, node_options
from .options import INPUT, version
from .terminal import DIFFERENT, OK, notice, print_json, terminal_width


@click.command("explain")
@click.argument("pods", nargs=-1, required=True, type=INPUT)
@from_node_options
@node_options
@click.option("--upgrade", type=version, help=f"Say what changes with this version (default: {NEWEST}).")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    pods: tuple[Path, ...],
    machine_name: str | None,
    dump: Path | None,
    as_it_is: bool,
    config_file: Path | None,
    flags: str,
    kubernetes_version: KubernetesVersion,
    level: str,
    upgrade: KubernetesVersion | None,
    as_json: bool,
) -> int:
    """Say of the pods in PODS that a kubelet refused why, what would admit each, and what an upgrade changes.

    PODS is what `kubectl get pods -A -o yaml --field-selector spec.nodeName=NODE` prints. The pods that run are placed
    first; those that were refused are asked again. A list may have steps between pods (docs/steps.md). PODS may also be
    what `kubectl describe pod` prints, and a kubelet's log, of which the topology hints are merged. Exits with 1 when a
    pod is refused.
    """
    if logs := {path: hints for path in pods if (hints := logged_hints(path))}:
        config = with_flags(read_kubelet_configuration(config_file), flags, quirks_of(level, kubernetes_version).node)
        for path, hints in logs.items():
            tell_hints(path, hints, config.topology_manager_policy, as_json=as_json)
    pods = tuple(path for path in pods if path not in logs)
    if not pods:
        return OK
    if dump is None and machine_name is None:
        raise click.UsageError("name the node: --from-node, or a --machine and its --config")
    named = ctx.get_parameter_source("kubernetes_version") is not ParameterSource.DEFAULT
    wanted = read_all(pods, notice, lives=True)
    question = question_of(machine_name, dump, flags, level, as_it_is=as_it_is)
    inputs, beginning = question.begin(config_file, kubernetes_version if named else None, wanted)
    answer = Answer.of(inputs, beginning, notice, None)
    explanation = Explanation.with_upgrade(answer, upgrade or NEWEST, ", ".join(map(str, pods)))
    print_json(explanation.data) if as_json else click.echo(explanation.to_text(terminal_width()))
    return OK if explanation.admitted else DIFFERENT
