"""``Quirk``: one place where Kubernetes departs from its documentation, and the flags made of many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

from typing_extensions import Self

from ...errors import Fault, UsageError, closest
from ..versions import KubernetesVersion, Span


@dataclass(frozen=True, slots=True)
class Quirk:
    """A departure from the documentation.

    ``id`` says what happens; ``area`` is the part of Kubernetes, as in ``Quirks``. ``rule`` names the behaviour rules,
    where some say more. ``summary`` is what the kubelet or the scheduler does, ``documented`` what the documentation
    says or evidently intends, and what the reference does with the quirk off. ``versions`` show it. ``issue`` is a
    public reference such as ``kubernetes/kubernetes#141238``, ``pull`` the pull requests that mended it, where they are
    known.
    """

    id: str
    area: str
    rule: str
    summary: str
    documented: str
    versions: Span
    issue: str | None = None
    pull: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules; none where ``summary`` says it all."""
        return tuple(self.rule.split(", ")) if self.rule else ()


def quirk(
    *,
    summary: str,
    documented: str,
    versions: str,
    rule: str = "",
    issue: str | None = None,
    pull: tuple[str, ...] = (),
) -> bool:
    """Define a flag of a ``QuirkFlags`` class: off unless said, with what is known of the quirk as its metadata.

    ``versions`` is a text such as ``1.23+``, ``1.32-1.33``, ``1.32``, or with patches ``1.10-1.27.1``.
    """
    facts = {
        "rule": rule,
        "summary": summary,
        "documented": documented,
        "versions": Span.parse(versions),
        "issue": issue,
        "pull": pull,
    }
    return field(default=False, metadata=facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuirkFlags:
    """Flags of one area, each a quirk: True is what Kubernetes does, False what is documented."""

    @classmethod
    def quirks(cls, area: str) -> tuple[Quirk, ...]:
        """Return the records of the flags; the id of each is its name with dashes."""
        return tuple(Quirk(id=_id_of(flag.name), area=area, **flag.metadata) for flag in fields(cls))

    @classmethod
    def of(cls, version: KubernetesVersion) -> Self:
        """Return the quirks that a version of Kubernetes shows."""
        shown: dict[str, Any] = {flag.name: version in flag.metadata["versions"] for flag in fields(cls)}
        return cls(**shown)

    def without(self, *ids: str) -> Self:
        """Return the flags with some of them off; raises ``UsageError`` for an id that is not among them."""
        known = {_id_of(flag.name): flag.name for flag in fields(self)}
        for quirk in ids:
            if quirk not in known:
                raise unknown_quirk(quirk, known)
        off: dict[str, Any] = dict.fromkeys((known[quirk] for quirk in ids), False)
        return replace(self, **off)

    def showing(self) -> tuple[str, ...]:
        """Return the ids of the quirks that are on."""
        return tuple(_id_of(flag.name) for flag in fields(self) if getattr(self, flag.name))


def unknown_quirk(quirk: str, known: Iterable[str]) -> UsageError:
    """Return the error for an id that names no quirk."""
    near = closest(quirk, known)
    return UsageError(Fault("", f"there is no quirk {quirk!r}", "see `numa-conformance quirks`", near))


def _id_of(name: str) -> str:
    return name.replace("_", "-")
