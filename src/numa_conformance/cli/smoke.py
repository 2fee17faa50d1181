"""``numa-conformance smoke``: whether the shim speaks the protocol."""

from __future__ import annotations

from typing import Any

import click

from ..machine import load_machine, machine_to_dict
from ..protocol import Client, NotClaimed, TargetFault
from ..protocol.message import Request
from ..protocol.messages.allocate import Allocate
from ..protocol.messages.classify import Classify
from ..protocol.messages.hints import Hints
from ..protocol.messages.merge import Merge
from ..protocol.messages.node import (
    AdmitPod,
    ReadCheckpoints,
    ReadState,
    Reconcile,
    RemovePod,
    RestartNode,
    RunPod,
    StartNode,
)
from ..protocol.messages.pick import Pick
from ..protocol.messages.score import Score
from ..protocol.values import HintValue, PriorState
from ..suite.workloads import guaranteed, static
from .exits import DIFFERENT, OK
from .targets import TargetChoice, open_target, target_options

__all__ = ["command"]


@click.command("smoke")
@target_options
def command(choice: TargetChoice) -> int:
    """Ask a target one question of each surface it claims, and say whether the answers are well formed.

    Whether they are right is for the suite. Exits with 1 when one is not well formed.
    """
    with open_target(choice) as target:
        about = target.description
        click.echo(f"{about.name} {about.version}, protocol {about.protocol}, Kubernetes {about.kubernetes_version}")
        results = [_ask(target, message) for message in _questions() if _claimed(target, message)]
        click.echo(f"features claimed: {', '.join(sorted(target.features)) or 'none'}")
    return OK if all(results) else DIFFERENT


_OPTIONAL = {
    "node.reconcile": "cpu-manager/reconcile",
    "node.checkpoints": "cpu-manager/state-file",
    "node.restart": "node/restart",
}
"""Methods of the surface node that go with a feature."""


def _claimed(target: Client, message: Request[Any]) -> bool:
    method = message.method
    feature = _OPTIONAL.get(method.name)
    return method.surface in target.surfaces and (feature is None or feature in target.features)


def _ask(target: Client, message: Request[Any]) -> bool:
    name = message.method.name
    try:
        target.ask(message)
    except NotClaimed:
        click.echo(f"  {name}: not there, though its surface is claimed")
        return False
    except TargetFault as fault:
        click.echo(f"  {name}: {fault.verdict}\n    {str(fault).replace(chr(10), chr(10) + '    ')}")
        return False
    click.echo(f"  {name}: well formed")
    return True


def _questions() -> list[Request[Any]]:
    """Return one question of each method that needs no files, in an order that a node can follow."""
    machine = machine_to_dict(load_machine("t1-one-socket-smt2"))
    pod, config = guaranteed("smoke", 2), static()
    state = PriorState("0-7")
    hint = [HintValue([0], True)]
    return [
        Classify(pod),
        Pick(machine, "1-7", 2),
        Hints(machine, config, state, pod, "c"),
        Allocate(machine, config, state, pod, "c"),
        Merge("best-effort", {}, [0, 1], None, [{"cpu": hint}, None]),
        Score({"type": "LeastAllocated"}, {"cpu": "8", "memory": "8Gi", "pods": "110"}, [], pod),
        StartNode(machine, config),
        AdmitPod(pod),
        RunPod("smoke"),
        ReadState(),
        Reconcile(),
        ReadCheckpoints(),
        RestartNode(),
        RemovePod("smoke"),
    ]
