"""``numa-conformance smoke``: whether the shim speaks the protocol."""

from __future__ import annotations

import click

from ..machine import load_machine, machine_to_dict
from ..protocol import Client, NotClaimed, TargetFault, wire
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
        click.echo(f"{about.name} {about.version}, protocol {about.protocol}, Kubernetes {about.kubernetesVersion}")
        results = [_ask(target, message) for message in _questions() if _claimed(target, message)]
        click.echo(f"features claimed: {', '.join(sorted(target.features)) or 'none'}")
    return OK if all(results) else DIFFERENT


_OPTIONAL = {
    "node.reconcile": "cpu-manager/reconcile",
    "node.checkpoints": "cpu-manager/state-file",
    "node.restart": "node/restart",
}
"""Methods of the surface node that go with a feature."""


def _claimed(target: Client, message: wire.Message) -> bool:
    method = wire.request_of(message)
    feature = _OPTIONAL.get(method.name)
    return method.surface in target.surfaces and (feature is None or feature in target.features)


def _ask(target: Client, message: wire.Message) -> bool:
    name = wire.request_of(message).name
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


def _questions() -> list[wire.Message]:
    """Return one question of each method that needs no files, in an order that a node can follow."""
    machine = machine_to_dict(load_machine("t1-one-socket-smt2"))
    pod, config = guaranteed("smoke", 2), static()
    state = wire.PriorState("0-7")
    hint = [wire.HintValue([0], True)]
    return [
        wire.Classify(pod),
        wire.Pick(machine, "1-7", 2),
        wire.Hints(machine, config, state, pod, "c"),
        wire.Allocate(machine, config, state, pod, "c"),
        wire.Merge("best-effort", {}, [0, 1], None, [{"cpu": hint}, None]),
        wire.Score({"type": "LeastAllocated"}, {"cpu": "8", "memory": "8Gi", "pods": "110"}, [], pod),
        wire.StartNode(machine, config),
        wire.AdmitPod(pod),
        wire.RunPod("smoke"),
        wire.ReadState(),
        wire.Reconcile(),
        wire.ReadCheckpoints(),
        wire.RestartNode(),
        wire.RemovePod("smoke"),
    ]
