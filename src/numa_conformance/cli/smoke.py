"""``numa-conformance smoke``: whether the shim speaks the protocol."""

import sys
from typing import Any

import click
import msgspec

from ..asking.generators.workloads import guaranteed, static
from ..judging.node_subjects import Malformed
from ..judging.subjects import subjects
from ..machine import load_machine, machine_to_dict
from ..wire import Client, NotClaimed, TargetFault, Unsupported
from ..wire.history.history import Head, History, Step
from ..wire.message import Request
from ..wire.messages import allocate, claims, classify, hints, merge, node, pick, plugin, score
from ..wire.values import HintValue, PriorState
from .targets import TargetChoice, open_target, target_options
from .terminal import DIFFERENT, OK, notice, print_json


@click.command("smoke")
@target_options
@click.option("--json", "as_json", is_flag=True, help="Print the answers' state as JSON.")
def command(choice: TargetChoice, as_json: bool) -> int:
    """Ask a target one question of each surface it claims, and say whether the answers are well formed.

    Whether they are right is for the suite; a refusal is shown, as any allocator could serve these questions. Exits
    with 1 when an answer is not well formed.
    """
    if choice.is_reference:
        notice("no target is named, so this is the reference: --target and --target-command name yours")
    elif sys.stderr.isatty():
        notice(f"the target has {choice.timeout:g} s for each answer: --timeout names another")
    with open_target(choice) as target:
        about = target.description
        if not as_json:
            versions = f"protocol {about.protocol}, Kubernetes {about.kubernetes_version}"
            click.echo(f"{about.name} {about.version}, {versions}")
        answers, conversation = [], _Conversation(target)
        for message in (message for message in _questions() if _claimed(target, message)):
            name, (fault, refusal) = message.method.name, conversation.ask(message)
            answers.append({"method": name, "wellFormed": not fault, "fault": fault, "refused": refusal})
            if not as_json:
                judged = fault or ("well formed" if refusal is None else f"well formed, but a refusal: {refusal}")
                click.echo(f"  {name}: {judged}".replace("\n", "\n    "))
        features = sorted(target.features)
    if as_json:
        print_json({**msgspec.to_builtins(about), "features": features, "answers": answers})
    else:
        click.echo(f"features claimed: {', '.join(features) or 'none'}")
        if not about.surfaces:
            click.echo("nothing was asked: the target claims no surface")
    return DIFFERENT if any(answer["fault"] for answer in answers) else OK


_MACHINE = load_machine("t1-one-socket-smt2")
_OPTIONAL = {
    "node.reconcile": "cpu-manager/reconcile",
    "node.checkpoints": "cpu-manager/state-file",
    "node.resize": "node/resize",
    "node.restart": "node/restart",
    "plugin.prefer": "device-plugin/preferred-allocation",
    "plugin.restart": "device-plugin/restart",
    "claims.restart": "claims/restart",
    "claims.run": "claims/shared-pool",
    "claims.end": "claims/shared-pool",
}
"""Methods that go with a feature."""


def _claimed(target: Client, message: Request[Any]) -> bool:
    method = message.method
    feature = _OPTIONAL.get(method.name)
    return method.surface in target.surfaces and (feature is None or feature in target.features)


class _Conversation:
    """Asks a target, and holds each answer to what the suite does: none that it condemns is well formed here."""

    def __init__(self, target: Client) -> None:
        self._target = target
        self._history = History(Head("smoke", "", 0, _MACHINE, target.description.kubernetes_version))

    def ask(self, message: Request[Any]) -> tuple[str | None, str | None]:
        """Ask one question, and return what is wrong with the answer and how it refuses, if it does."""
        try:
            answer = self._target.ask(message)
        except Unsupported as fault:
            return None, str(fault)
        except NotClaimed:
            return "not there, though its surface is claimed", None
        except TargetFault as fault:
            return f"{fault.verdict}\n{fault}", None
        question, answered = msgspec.to_builtins(message), msgspec.to_builtins(answer)
        malformed = self._malformed(Step(message.method.name, question, answered))
        return malformed and f"malformed\n{malformed}", getattr(answer, "message", None)

    def _malformed(self, step: Step) -> str | None:
        """Return what is malformed in an answer; behind one that is, answers are held to their form alone."""
        self._history = History(self._history.head, (*self._history.steps, step))
        last = len(self._history.steps) - 1
        return next(
            (each.why for at, each in subjects(self._history) if at == last and isinstance(each, Malformed)),
            step.malformed,
        )


def _questions() -> list[Request[Any]]:
    """Return one question of each method that needs no files, in an order that a node can follow."""
    machine = machine_to_dict(_MACHINE)
    pod, config = guaranteed("smoke", 2), static()
    state = PriorState("0-7")
    return [
        classify.Classify(pod),
        pick.Pick(machine, "1-7", 2),
        hints.Hints(machine, config, state, pod, "c"),
        allocate.Allocate(machine, config, state, pod, "c"),
        merge.Merge("best-effort", {}, [0, 1], None, [{"cpu": [HintValue([0], True)]}, None]),
        score.Score({"type": "LeastAllocated"}, {"cpu": "8", "memory": "8Gi", "pods": "110"}, [], pod),
        node.StartNode(machine, config),
        node.AdmitPod(pod),
        node.RunPod("smoke"),
        node.ReadState(),
        node.Reconcile(),
        node.ReadCheckpoints(),
        node.RestartNode(),
        node.RemovePod("smoke"),
        plugin.StartPlugin(machine),
        plugin.PreferDevices([], [], 0),
        plugin.AllocateDevices([]),
        plugin.RestartKubelet(),
        claims.StartDriver(machine),
        claims.UnprepareClaim("smoke", "default", "smoke"),
        claims.RunShared("smoke"),
        claims.EndShared("smoke"),
        claims.RestartDriver(),
    ]
