"""``Quirk``: one place where Kubernetes departs from its documentation, and the flags made of many."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import starmap
from typing import Any, ClassVar

from typing_extensions import Self

from ...errors import Fault, UsageError, closest
from ...files import records_of
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
        "pull": tuple(filter(None, more.get("mended by", "").split(", "))),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class QuirkFlags:
    """Flags of one area, each a quirk: True is what Kubernetes does, False what is documented.

    ``records``: what is known of each, which ``files.records_of`` reads.
    """

    records: ClassVar[str]

    @classmethod
    @lru_cache
    def _facts(cls) -> Mapping[str, Mapping[str, Any]]:
        return dict(starmap(_read, records_of(cls.records)))

    @classmethod
    def quirks(cls, area: str) -> tuple[Quirk, ...]:
        """Return the records of the flags; the id of each is its name with dashes."""
        return tuple(
            Quirk(id=name, area=area, **cls._facts()[name]) for name in (_id_of(flag.name) for flag in fields(cls))
        )

    @classmethod
    def of(cls, version: KubernetesVersion) -> Self:
        """Return the quirks that a version of Kubernetes shows."""
        shown: dict[str, Any] = {
            flag.name: version in cls._facts()[_id_of(flag.name)]["versions"] for flag in fields(cls)
        }
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
