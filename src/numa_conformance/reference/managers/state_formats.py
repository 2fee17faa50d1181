"""Formats of the state files of CPUs and of memory: what they share, and the order in which they are tried.

Their checksum is FNV-1a, 32 bit, over a typed dump of the record (CPU-CKPT-04).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Generic, TypeVar

from ...machine.hostfs.go_json import GoJsonError, fields, load, number, string
from .state_file import CORRUPTED, CheckpointError, FileStyle

_PRIME = 0x01000193
_MASK = 0xFFFFFFFF
_WORD = re.compile(rb"[^ ,]{0,63}[ ,]?")
"""Also a part of a word, so that little is kept of a long one."""


@lru_cache(maxsize=64)
def fnv1a_32(text: str) -> int:
    """Return the checksum of the UTF-8 bytes of a text.

    A byte is mixed with the lowest byte of the value alone; what is above it is only multiplied. So what a word does is
    known by the lowest byte before it, and dumps repeat their words.
    """
    value = 0x811C9DC5
    for word in _WORD.findall(text.encode("utf-8", "surrogateescape")):
        low = value & 0xFF
        after, factor = _mixed(word, low)
        value = after + (value - low) * factor & _MASK
    return value


@lru_cache(maxsize=1 << 13)
def _mixed(word: bytes, low: int) -> tuple[int, int]:
    """Return what becomes of a value of one byte, and what a word multiplies the rest by."""
    value = low
    for byte in word:
        value = (value ^ byte) * _PRIME & _MASK
    return value, pow(_PRIME, len(word), _MASK + 1)


@dataclass(kw_only=True)
class Record:
    """A file as written, as far as formats share it: ``pods`` is by pod uid, ``data`` the text in an envelope."""

    policy: str = ""
    pods: dict[str, Any] = field(default_factory=dict)
    checksum: int = 0
    data: str = ""
    data_checksum: int = 0


R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Format(ABC, Generic[R]):
    """One format: the kubelet's name of it, and of the part that holds the old members where that is another.

    ``members`` are those that it has.
    """

    name: str
    members: frozenset[str]
    old_members: str = ""

    record: ClassVar[type[Any]]
    """Of what has been read; made without anything, nothing was."""
    reads_on: ClassVar[bool] = True
    """Whether what follows a member of a wrong type is read too."""

    def member(self, record: R, name: str, value: Any, path: str) -> None:
        """Read a member into a record; raises ``GoJsonError`` for one of a wrong type, by its ``path``."""
        match name:
            case "policyName":
                record.policy = string(value, path)
            case "checksum":
                record.checksum = number(value, path, "checksum.Checksum")
            case "data":
                record.data = string(value, path)
            case _:
                record.data_checksum = number(value, path, "checksum.Checksum")

    def read(self, text: str) -> tuple[R, GoJsonError | None]:
        """Return what can be read of a text, and the first fault in it."""
        record: R = self.record()
        first = None
        try:
            members = list(fields(load(text), {name.lower(): name for name in self.members}, f"state.{self.name}"))
        except GoJsonError as error:
            return record, error
        for name, value in members:
            try:
                self.member(record, name, value, self.path(name))
            except GoJsonError as error:
                first = first or error
                if not self.reads_on:
                    break
        return record, first

    @abstractmethod
    def checksum(self, record: R) -> int:
        """Return the checksum of a record in this format, which is no envelope."""

    def path(self, member: str) -> str:
        """Return how the kubelet's decoder calls a member."""
        inner = f".{self.old_members}" if self.old_members and not member.startswith("data") else ""
        return f"{self.name}{inner}.{member}"

    def checked(self, text: str, *, may_be_unchecked: bool) -> R:
        """Read a text; a checksum of 0 is not looked at where it may be so. Raises ``CheckpointError``."""
        record, fault = self.read(text)
        if fault is not None:
            raise CheckpointError(str(fault)) from fault
        looked_at = record.checksum or not may_be_unchecked
        if looked_at and record.checksum != self.checksum(record):
            raise CheckpointError(CORRUPTED)
        return record


@dataclass(frozen=True)
class Formats(Generic[R]):
    """The formats of one manager's file beside the oldest: an envelope, what is in it, and one with pods."""

    manager: str
    version: str
    """Of the envelope, in the kubelet's words."""
    envelope: Format[R]
    data: Format[R]
    with_pods: Format[R]

    def newest_first(self, text: str, style: FileStyle, older: Callable[[], R]) -> R:
        """Read the newest format that fits, else an ``older`` one, of which a fault is told.

        Raises ``CheckpointError``.
        """
        if style.envelope:
            outer, fault = self.envelope.read(text)
            try:
                return self._opened(outer, fault)
            except CheckpointError as error:
                if outer.data or outer.data_checksum:
                    raise CheckpointError(f"could not load {self.version} checkpoint: {error.cause}") from error
        pods: Any = {}
        if style.envelope or style.pods:
            whole, fault = self.with_pods.read(text)
            if fault is None and whole.checksum == self.with_pods.checksum(whole):
                return whole
            # The kubelet reads the older format into what is left of the newer one; from 1.37 on it begins anew.
            pods = {} if style.envelope else whole.pods
        record = older()
        record.pods = pods
        return record

    def _opened(self, outer: R, fault: GoJsonError | None) -> R:
        """Return what is in an envelope."""
        if fault is not None:
            raise CheckpointError(f"failed to deserialize {self.manager} manager checkpoint: {fault}")
        record, inner = self.data.read(outer.data)
        if inner is not None:
            raise CheckpointError(f"failed to deserialize {self.manager} manager checkpoint data: {inner}")
        if outer.data_checksum != text_checksum(outer.data):
            raise CheckpointError(CORRUPTED)
        return record


def text_checksum(data: str) -> int:
    """Return the checksum of the text in an envelope (CPU-CKPT-17, MEM-CKPT-09)."""
    return fnv1a_32(f"(string){data}")
