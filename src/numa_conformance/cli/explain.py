"""``numa-conformance explain``: pods that a kubelet refused, from ``kubectl get pods`` to the answer."""

from pathlib import Path

import click

from ..kube import read_kubelet_configuration, with_flags
from ..reference.simulation.answer import ask
from ..reference.simulation.explained import explanation_of
from ..reference.simulation.reading import quirks_of, read_all
from ..sources.versions import DEFAULT, NEWEST, KubernetesVersion
from .logged_hints import logged_hints, tell_hints
from .node_at_work import NodeChoice, node_at_work_options
from .options import INPUT, version
from .terminal import DIFFERENT, OK, notice, print_json, terminal_width


@click.command("explain")
@click.argument("pods", nargs=-1, required=True, type=INPUT)
@node_at_work_options
@click.option("--upgrade", type=version, help=f"Say what changes with this version (default: {NEWEST}).")
@click.option("--all", "everything", is_flag=True, help="Show the pods that are admitted too.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(
    pods: tuple[Path, ...], node: NodeChoice, upgrade: KubernetesVersion | None, everything: bool, as_json: bool
) -> int:
    """Say of the pods in PODS that a kubelet refused why, what would admit each, and what an upgrade changes.

    PODS is what `kubectl get pods -A -o yaml --field-selector spec.nodeName=NODE` prints. The pods that run are placed
    first; those that were refused are asked again. A list may have steps between pods (docs/steps.md). PODS may also be
    what `kubectl describe pod` prints, and a kubelet's log, of which the topology hints are merged. Exits with 1 when a
    pod is refused.
    """
    if logs := {path: hints for path in pods if (hints := logged_hints(path))}:
        quirks = quirks_of(node.level, node.kubernetes_version or DEFAULT).node
        config = with_flags(read_kubelet_configuration(node.config_file), node.flags, quirks)
        for path, hints in logs.items():
            tell_hints(path, hints, config.topology_manager_policy, as_json=as_json)
    pods = tuple(path for path in pods if path not in logs)
    if not pods:
        return OK
    if node.dump is None and node.machine_name is None:
        raise click.UsageError("name the node: --from-node, or a --machine and its --config")
    inputs, beginning = node.begin(read_all(pods, notice, lives=True))
    answer = ask(inputs, beginning, notice, None)
    explanation = explanation_of(answer, upgrade or NEWEST, ", ".join(map(str, pods)), everything=everything)
    print_json(explanation.data) if as_json else click.echo(explanation.to_text(terminal_width()))
    return OK if explanation.admitted else DIFFERENT
