"""``numa-conformance explain``: pods that a kubelet refused, from ``kubectl get pods`` to the answer."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..errors import Fault, UsageError
from ..fields import object_at
from ..kube import Pod, read_kubelet_configuration, with_flags
from ..reference.advice import why_never_refused
from ..reference.node import AdmissionResult
from ..simulation.node_inputs import (
    NodeInputs,
    Question,
    from_node_options,
    missing,
    node_options,
    read_all,
    tell_missing,
    tell_unseen,
)
from ..simulation.outcomes import Outcomes, headline, placement_lines
from ..simulation.step_lines import step_lines, steps_to_dict
from ..sources.versions import NEWEST, KubernetesVersion
from .logged_hints import logged_hints, tell_hints
from .options import INPUT, quirks_of, version
from .terminal import DIFFERENT, OK, print_json, say


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
    first; those that were refused are asked again. A list may have steps between pods (docs/lives.md). PODS may also be
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
    question = Question(machine_name, dump, flags, level, as_it_is)
    wanted = read_all(pods, lives=True)
    inputs, beginning = question.begin(config_file, kubernetes_version if named else None, wanted)
    tell_missing(beginning.pods, inputs)
    outcomes = beginning.outcomes(inputs, None, None)
    tell_unseen(beginning.pods, outcomes.node)
    refused_pods = _refused(beginning.pods, outcomes)
    if not (refused_pods or any(step.is_wrong for step in outcomes.steps)):
        raise UsageError(Fault(", ".join(map(str, pods)), "no pod was refused", "pods with phase Failed, or Pending"))
    newer = replace(inputs, version=upgrade or NEWEST)
    later = beginning.outcomes(newer, None, 0) if newer.version != inputs.version else None
    if as_json:
        print_json(_as_dict(refused_pods, inputs, outcomes, newer, later))
    else:
        _print(refused_pods, inputs, outcomes, newer, later)
    return OK if outcomes.all_run else DIFFERENT


def _refused(pods: tuple[Pod, ...], outcomes: Outcomes) -> list[AdmissionResult]:
    """Return what became of the pods that a kubelet had refused, and of those that are refused now."""
    refused = {pod.uid for pod in pods if pod.was_refused}
    return [each for each in outcomes.in_order if each.uid in refused or not _stays(each, outcomes)]


def _stays(admission: AdmissionResult, outcomes: Outcomes) -> bool:
    return admission.admitted and admission.uid not in outcomes.ended


def _print(
    refused_pods: list[AdmissionResult],
    inputs: NodeInputs,
    outcomes: Outcomes,
    newer: NodeInputs,
    later: Outcomes | None,
) -> None:
    say(f"node: {inputs.machine.name}, {inputs.title}")
    for admission in refused_pods:
        say(f"\n{headline(admission, outcomes)}")
        message = _message_before(outcomes, admission)
        if message and message != admission.message:
            say(f"    the kubelet said: {message}")
        if _stays(admission, outcomes):
            say(f"    {_why_admitted(admission, inputs, outcomes)}")
        for line in placement_lines(admission, outcomes):
            say(f"    {line}")
        for line in outcomes.advice[admission.uid].lines() if admission.uid in outcomes.advice else ():
            say(f"    {line}")
        if later is not None:
            say(f"    with Kubernetes {newer.version}: {_fate(later, admission)}")
    for index, step in enumerate(outcomes.steps):
        if step.is_wrong:
            say("\n".join(("", *step_lines(step, outcomes))))
            if later is not None:
                say(f"    with Kubernetes {newer.version}: {later.steps[index].fate}")
    if later is None and inputs.version == NEWEST:
        say(f"\n{NEWEST} is the newest version known here: no upgrade was tried")
    say(f"\n{outcomes.summary}")


def _as_dict(
    refused_pods: list[AdmissionResult],
    inputs: NodeInputs,
    outcomes: Outcomes,
    newer: NodeInputs,
    later: Outcomes | None,
) -> dict[str, Any]:
    rows = {row["uid"]: row for row in outcomes.to_dict()["pods"]}
    return {
        "machine": inputs.machine.name,
        "kubernetesVersion": str(inputs.version),
        "upgrade": None if later is None else str(newer.version),
        "pods": [
            {
                **rows[admission.uid],
                "messageBefore": _message_before(outcomes, admission),
                **({"whyAdmitted": _why_admitted(admission, inputs, outcomes)} if _stays(admission, outcomes) else {}),
                **({} if later is None else {"withUpgrade": _fate(later, admission)}),
            }
            for admission in refused_pods
        ],
        "steps": [
            {**step, **({} if later is None else {"withUpgrade": later.steps[index].fate})}
            for index, step in enumerate(steps_to_dict(outcomes))
        ],
    }


def _why_admitted(admission: AdmissionResult, inputs: NodeInputs, outcomes: Outcomes) -> str:
    """Say why a pod is admitted that a kubelet refused: another configuration, a resource not seen, or room by now."""
    reason, pod = outcomes.refused_before(admission.uid), outcomes.pods[admission.uid]
    if unlike := why_never_refused(inputs.config, reason):
        why = f"this is not the configuration it was refused with: {unlike}"
        return f"{why}; give the node's own (--config, --from-node)"
    if unseen := missing(pod, inputs):
        return (
            f"it may have been refused for {', '.join(unseen)}, which is not looked at: {inputs.machine.name} has none"
        )
    return "the node has what it asks for now: delete the refused pod, and its controller makes a new one"


def _message_before(outcomes: Outcomes, admission: AdmissionResult) -> str:
    pod = outcomes.pods.get(admission.uid)
    return str(object_at(pod and pod.raw, "status").get("message") or "")


def _fate(later: Outcomes, admission: AdmissionResult) -> str:
    after = next(each for each in later.admissions if each.uid == admission.uid)
    if after.admitted:
        return "admitted as well" if admission.admitted else "admitted"
    same = not admission.admitted and (after.reason, after.message) == (admission.reason, admission.message)
    return "refused as well" if same else f"refused, {after.reason}: {after.message}"
