"""How ``diff`` reads what it compares: the reference at a level and version, or a target."""

from __future__ import annotations

from dataclasses import replace

from ..errors import Fault, UsageError, closest
from ..lab.daemon.daemon import serving, serving_kubelet
from ..sources.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from .targets import TargetChoice

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
        return TargetChoice(None, serving(f"{kind}-target", rest), "exact", None, timeout)
    named, at, version = text.partition("@")
    kind, colon, level = named.partition(":")
    if kind != "reference":
        suggestion = None if kind in KINDS else closest(kind, KINDS)
        raise UsageError(Fault("", f"{text!r} names no implementation", ACCEPTED, suggestion))
    if colon and level not in LEVELS:
        raise UsageError(Fault(text, f"there is no level {level!r}", ", ".join(LEVELS), closest(level, LEVELS)))
    try:
        follows = KubernetesVersion.supported(version) if at else None
    except UsageError as error:
        raise error.within(text) from error
    return TargetChoice(None, None, level or "exact", follows, timeout)


def of_one_version(choice: TargetChoice, other: str | KubernetesVersion | None) -> TargetChoice:
    """Return a choice with the version of the other side, where it is the reference and tells none of its own.

    Raises ``UsageError`` where the other side follows a version whose behaviour is not known.
    """
    if choice.version is not None or not choice.is_reference:
        return choice
    known = KubernetesVersion.known(other) if other else DEFAULT
    if known is None:
        message = f"the other side follows {str(other)!r}, no Kubernetes version whose behaviour is known"
        raise UsageError(Fault("reference", message, f"reference@VERSION, {SUPPORTED_RANGE}"))
    return replace(choice, version=known)
