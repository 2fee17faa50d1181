"""``Quirk``: one place where Kubernetes departs from its documentation, and the flags made of many."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any, TypeVar

from typing_extensions import Self

from ...errors import Fault, UsageError, closest
from ...files import records_of, text_of
from ..flags import Flags, flag_of, with_flags
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


def _read(head: str, summary: str, *labelled: str) -> tuple[str, dict[str, Any]]:
    """Return the id of a record and what is known of it; its head has the versions and the rules."""
    name, versions, rule = [*head.split("; "), ""][:3]
    more = dict(line.split(": ", 1) for line in labelled)
    facts = {"rule": rule, "summary": summary, "documented": more["documented"], "versions": Span.parse(versions)}
    return name, {
        **facts,
        "issue": more.get("issue"),
        "pull": tuple(filter(None, more.get("fixed by", "").split(", "))),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class QuirkFlags(Flags):
    """Flags of one area, each a quirk: True is what Kubernetes does, False what is documented."""

    @classmethod
    def quirks(cls, area: str) -> tuple[Quirk, ...]:
        """Return the records of the flags."""
        return tuple(Quirk(id=name, area=area, **known) for name, known in cls.facts.items())

    @classmethod
    def of(cls, version: KubernetesVersion) -> Self:
        """Return the quirks that a version of Kubernetes shows."""
        return cls(**{flag_of(name): version in known["versions"] for name, known in cls.facts.items()})

    def without(self, *ids: str) -> Self:
        """Return the flags with some of them off; raises ``UsageError`` for an id that is not among them."""
        for quirk in ids:
            if quirk not in self.facts:
                raise unknown_quirk(quirk, self.facts)
        return replace(self, **dict.fromkeys(map(flag_of, ids), False))


def unknown_quirk(quirk: str, known: Iterable[str]) -> UsageError:
    """Return the error for an id that names no quirk."""
    return UsageError(Fault("", f"there is no quirk {quirk!r}", "see `numa-conformance quirks`", closest(quirk, known)))


F = TypeVar("F", bound=QuirkFlags)


def flags_of(file: str) -> Callable[[type[F]], type[F]]:
    """Give a class a flag for each record of a text of this package; ``files.records_of`` tells the form."""
    return with_flags(dict(starmap(_read, records_of(text_of(__package__, file)))))
