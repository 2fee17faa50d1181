"""Errors for the person who reads them.

Three families, never mixed:

* *usage errors*: the input is wrong. ``UsageError`` carries every fault found, each with its place, what is accepted
  and the closest match.
* *refusals of the node*: not errors of ours at all. ``StartError`` (the node does not come up) and ``Refusal`` (a pod
  is not admitted) carry the kubelet's wording. ``KubeletFails`` stands for an answer that the kubelet never gives.
* findings and target faults live with the suite and the target transports.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from .printable import as_line

T = TypeVar("T")
_LONGEST_NAME = 100
"""Longer names get no suggestion, as a search takes the square of their length."""


class NumaConformanceError(Exception):
    """Base of every error this package raises on purpose."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input.

    ``place`` reads ``file: document 2: spec.containers[0].resources``; parts that are unknown are left out.
    """

    place: str
    message: str
    accepted: str | None = None
    suggestion: str | None = None

    def __str__(self) -> str:
        text = f"{self.place}: {self.message}" if self.place else self.message
        if self.accepted:
            text += f" (accepted: {self.accepted})"
        if self.suggestion:
            text += f"; did you mean {self.suggestion!r}?"
        return as_line(text)


class UsageError(NumaConformanceError):
    """Bad input, refused whole. ``faults`` holds all that was found, at least one."""

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def within(self, place: str) -> "UsageError":
        """Return the same error with ``place`` (a file, a document) put before each fault's own place."""
        return self._moved(lambda inner: f"{place}: {inner}" if inner else place)

    def _moved(self, place_of: Callable[[str], str]) -> "UsageError":
        return UsageError(replace(fault, place=place_of(fault.place)) for fault in self.faults)


@contextmanager
def faults_as_of(known: object, unpacked: object) -> Iterator[None]:
    """Name what a person knows in place of where it was unpacked, in a ``UsageError`` that is raised inside."""
    try:
        yield
    except UsageError as error:
        raise error._moved(lambda place: place.replace(str(unpacked), str(known))) from error


@contextmanager
def faults_within(place: str) -> Iterator[None]:
    """Put ``place`` before the places of a ``UsageError`` that is raised inside."""
    try:
        yield
    except UsageError as error:
        raise error.within(place) from error


class CpuSetSyntaxError(UsageError, ValueError):
    """A text that is not a set of ids. ``detail`` is the kubelet's own wording where it has one."""

    def __init__(self, text: str, item: str, accepted: str, detail: str | None = None) -> None:
        self.text = text
        self.item = item
        self.detail = detail
        shown = text if len(text) <= 80 else text[:77] + "..."
        super().__init__(Fault("", detail or f"{item!r} in {shown!r} is not an id or a range of ids", accepted))

    @property
    def kubelet_wording(self) -> str:
        """The kubelet's own text for this item, which names the number that does not parse (CPU-SET-02)."""
        first, dash, rest = self.item.partition("-")
        wrong = rest if dash and first.isdecimal() else first
        return self.detail or f'strconv.Atoi: parsing "{wrong}": invalid syntax'


NOT_MET = "program"
"""The stage of a kubelet that has not started for a reason that is none of its managers'."""


class StartError(NumaConformanceError):
    """The node does not come up. ``stage`` as in the recorded decisions: kubelet, topologymanager, cpumanager, ..."""

    def __init__(self, stage: str, message: str, hints: Iterable[str] = ()) -> None:
        self.stage = stage
        self.message = message
        self.hints = tuple(hints)
        super().__init__(f"{stage}: {message}")


class Refusal(NumaConformanceError):  # noqa: N818  (an answer of the node, not a fault)
    """A pod is not admitted. ``reason`` and ``message`` as in the pod's status."""

    def __init__(self, reason: str, message: str) -> None:
        """Take the reason (one word) and the message without the prefix ``Pod was rejected: ``."""
        self.reason = reason
        self.message = message
        super().__init__(f"{reason}: {message}")

    @classmethod
    def unexpected(cls, error: str) -> "Refusal":
        """Return the refusal for an allocation that failed with ``error`` (TOPO-FAIL-03)."""
        return cls("UnexpectedAdmissionError", f"Allocate failed due to {error}, which is unexpected")


class KubeletFails(NumaConformanceError):  # noqa: N818  (what the kubelet does, not a fault of ours)
    """The kubelet has no answer: it crashes or loops for ever. What was asked is then as if it had not been.

    ``quirk`` is the id of the departure that this is; with it off there is an answer. ``does``: what the kubelet does.
    """

    does = ""

    def __init__(self, quirk: str, text: str) -> None:
        self.quirk = quirk
        super().__init__(f"{self.does}{text} (quirk {quirk})")


class KubeletCrashes(KubeletFails):
    """The kubelet ends with a panic."""

    does = "the kubelet crashes here: "


class KubeletHangs(KubeletFails):
    """The kubelet loops for ever, and holds its lock meanwhile."""

    does = "the kubelet never answers: "


def require(part: T | None, lacking: str, method: str) -> T:
    """Return what a ``method`` of a target brings up; raises ``UsageError`` before it was asked."""
    if part is None:
        raise UsageError(Fault("", lacking, f"{method} first"))
    return part


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return what ends a message about an unknown name: the nearest known one, nothing where none is near."""
    near = closest(name, known)
    return f"; did you mean {near!r}?" if near else ""


def closest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name nearest to ``name``, or None when nothing is near; ``cutoff`` is 1 for equal names."""
    if len(name) > _LONGEST_NAME:
        return None
    by_fold = {word.lower(): word for word in known}
    close = difflib.get_close_matches(name.lower(), by_fold, n=1, cutoff=cutoff)
    return by_fold[close[0]] if close else None


def closest_to_pattern(pattern: str, names: Iterable[str]) -> str | None:
    """Return the name that is meant by a misspelt one, by one of its parts, or by a misspelt part."""
    known = list(names)
    parts = {part: name for name in reversed(known) for part in (*name.split("/"), *name.replace("/", "-").split("-"))}
    plain = pattern.replace("*", "").strip("/")
    whole = closest(plain, known)
    part = closest(plain, parts)
    within = next((name for name in known if plain and plain in name), None)
    return whole or within or (parts[part] if part else None)
