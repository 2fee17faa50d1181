"""The options with which a command is pointed at a target, and the target itself."""

import functools
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import click

from ..errors import Fault, UsageError, closest, faults_within
from ..lab.daemon.daemon import serving, serving_kubelet
from ..reference.target import Level, ReferenceTarget
from ..sources.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from ..wire import Client, Connection, Crashed, InChild, InProcess, Stdio, load_factory
from ..wire.termination import EndsInOrder
from .options import TIMEOUT, F, level_option, version


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
    same_process: bool = False

    @property
    def is_reference(self) -> bool:
        """Say whether the reference is asked."""
        return not (self.factory or self.command)


def target_options(function: F) -> F:
    """Add the options of ``TargetChoice`` to a command, which receives it as ``choice``."""

    @click.option("--target", "factory", help="A target in Python: package.module:factory.")
    @click.option("--same-process", is_flag=True, help="Ask --target in this process, for a debugger.")
    @click.option("--target-command", "command", help="A target in any language: the command that serves it on stdio.")
    @level_option("Which reference to ask when no target is named: with the kubelet's quirks, or by the documentation.")
    @click.option(
        "--kubernetes-version",
        "version",
        type=version,
        help=f"The version the reference follows, {SUPPORTED_RANGE} (default: what a recorded decision says, else "
        f"{DEFAULT}).",
    )
    @TIMEOUT
    @functools.wraps(function)
    def wrapped(*args: Any, **values: Any) -> Any:
        chosen = {each.name: values.pop(each.name) for each in fields(TargetChoice) if each.name in values}
        if chosen["factory"] and chosen["command"]:
            raise click.UsageError("--target and --target-command exclude each other")
        return function(*args, choice=TargetChoice(**chosen), **values)

    return wrapped  # type: ignore[return-value]  # click's decorators keep the signature open


def about_target(name: str, client: Client) -> dict[str, str]:
    """Return for programs how a target was named, and how it describes itself."""
    it = client.description
    return {"asked": name, "name": it.name, "version": it.version, "kubernetesVersion": it.kubernetes_version}


@contextmanager
def open_target(choice: TargetChoice) -> Iterator[Client]:
    """Open the chosen target and close it at the end; raises ``UsageError`` and ``TargetFault``.

    The latter too where the program behind it was met on no machine, whatever came of that.
    """
    with EndsInOrder(), closing(Client(_connection(choice))) as client:
        try:
            yield client
        except (UsageError, click.exceptions.Exit):
            if not client.record.is_absent:
                raise
        if client.record.is_absent:
            raise Crashed(f"{client.description.name} could not be asked: {'; '.join(client.record.absences.values())}")


def _connection(choice: TargetChoice) -> Connection:
    if choice.command:
        return Stdio(choice.command, choice.timeout)
    if choice.factory:
        if choice.same_process:
            return InProcess(load_factory(choice.factory), choice.factory)
        return InChild(choice.factory, choice.timeout)
    level: Level = "exact" if choice.level == "exact" else "documented"
    reference = functools.partial(ReferenceTarget, level, choice.version or DEFAULT, resource_fit=choice.resource_fit)
    return InChild("the reference", choice.timeout, load=lambda: reference, quiet=True)


LEVELS = ("exact", "documented")
KINDS = ("reference", "target", "command", "kubelet", "nri", "dra")
ACCEPTED = (
    "reference[:exact|:documented][@VERSION], target:package.module:factory, 'command:./my-kubelet --stdio', "
    "kubelet:./kubelet, 'nri:./my-plugin -socket {nri_socket}' or 'dra:./my-driver --kubeconfig={kubeconfig}'"
)


def side(text: str, timeout: float) -> TargetChoice:
    """Read one side of a comparison; raises ``UsageError``."""
    kind, _, rest = text.partition(":")
    if kind == "target" and rest:
        return TargetChoice(rest, None, "exact", None, timeout)
    if kind == "command" and rest:
        return TargetChoice(None, rest, "exact", None, timeout)
    if kind == "kubelet" and rest:
        return TargetChoice(None, serving_kubelet(rest), "exact", None, timeout, resource_fit=True)
    if kind in ("nri", "dra") and rest:
        return TargetChoice(None, serving(kind, rest), "exact", None, timeout)
    named, at, version = text.partition("@")
    kind, colon, level = named.partition(":")
    if kind != "reference":
        suggestion = None if kind in KINDS else closest(kind, KINDS)
        raise UsageError(Fault("", f"{text!r} names no implementation", ACCEPTED, suggestion))
    if colon and level not in LEVELS:
        raise UsageError(Fault(text, f"there is no level {level!r}", ", ".join(LEVELS), closest(level, LEVELS)))
    with faults_within(text):
        follows = KubernetesVersion.supported(version) if at else None
    return TargetChoice(None, None, level or "exact", follows, timeout)


def with_version_of(choice: TargetChoice, other: str | KubernetesVersion | None) -> TargetChoice:
    """Give a reference without a version the other side's; raises ``UsageError`` where that is not known."""
    if choice.version is not None or not choice.is_reference:
        return choice
    known = KubernetesVersion.known(other) if other else DEFAULT
    if known is None:
        message = f"the other side follows {str(other)!r}, no Kubernetes version whose behaviour is known"
        raise UsageError(Fault("reference", message, f"reference@VERSION, {SUPPORTED_RANGE}"))
    return replace(choice, version=known)
