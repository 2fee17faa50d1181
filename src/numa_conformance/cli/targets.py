"""The options with which a command is pointed at a target, and the target itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from ..reference.target import Level, ReferenceTarget
from ..sources.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from ..wire import Client, Connection, InProcess, Stdio, load_factory
from ..wire.termination import EndsInOrder
from .names import Named
from .versions import version

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class TargetChoice:
    """Which implementation to ask: the reference when neither a factory nor a command is named.

    ``version``: the version that was asked for, None where none was. ``resource_fit``: whether the sum of requests has
    to fit the node, which a whole kubelet asks beside its managers, and the reference where it stands beside one.
    """

    factory: str | None
    command: str | None
    level: str
    version: KubernetesVersion | None
    timeout: float
    resource_fit: bool = False

    @property
    def is_reference(self) -> bool:
        """Tell whether the reference is asked."""
        return not (self.factory or self.command)


def target_options(function: F) -> F:
    """Add the options of ``TargetChoice`` to a command, which receives it as ``choice``."""

    @click.option("--target", "factory", default=None, help="An in-process target: package.module:factory.")
    @click.option(
        "--target-command", default=None, help="A target in any language: the command that serves it on stdio."
    )
    @click.option(
        "--level",
        type=Named(["exact", "documented"]),
        default="exact",
        show_default=True,
        help="Which reference to ask when no target is named: with the kubelet's quirks, or by the documentation.",
    )
    @click.option(
        "--kubernetes-version",
        type=version,
        default=None,
        help=f"The version the reference follows, {SUPPORTED_RANGE} (default: what a recorded decision tells, else "
        f"{DEFAULT}).",
    )
    @click.option("--timeout", default=60.0, show_default=True, help="Seconds a call may take.")
    @functools.wraps(function)
    def wrapped(
        *args: Any,
        factory: str | None,
        target_command: str | None,
        level: str,
        kubernetes_version: KubernetesVersion | None,
        timeout: float,
        **kwargs: Any,
    ) -> Any:
        if factory and target_command:
            raise click.UsageError("--target and --target-command exclude each other")
        return function(
            *args, choice=TargetChoice(factory, target_command, level, kubernetes_version, timeout), **kwargs
        )

    return wrapped  # type: ignore[return-value]  # click's decorators keep the signature open


@contextmanager
def open_target(choice: TargetChoice) -> Iterator[Client]:
    """Open the chosen target and close it at the end; raises ``UsageError`` and ``TargetFault``."""
    with EndsInOrder(), closing(Client(_connection(choice))) as client:
        yield client


def _connection(choice: TargetChoice) -> Connection:
    if choice.command:
        return Stdio(choice.command, choice.timeout)
    if choice.factory:
        return InProcess(load_factory(choice.factory), choice.factory, choice.timeout, foreign=True)
    level: Level = "exact" if choice.level == "exact" else "documented"
    return InProcess(
        lambda: ReferenceTarget(level, choice.version or DEFAULT, resource_fit=choice.resource_fit),
        "the reference",
        choice.timeout,
    )
