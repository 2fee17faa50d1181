"""``KubernetesVersion``: a version of Kubernetes, and how facts change from one to the next."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, TypeVar

from ..errors import Fault, UsageError

_TEXT = re.compile(r"v?([0-9]{1,3})\.([0-9]{1,3})(?:\.([0-9]{1,4})(?:[-+][0-9A-Za-z.+-]{1,60})?)?", re.ASCII)
"""As kubelets tell it: vendors append something of their own."""
_SPAN = re.compile(r"([0-9]+\.[0-9]+(?:\.[0-9]+)?)(?:(\+)|-([0-9]+\.[0-9]+(?:\.[0-9]+)?))?", re.ASCII)
_LAST_PATCH = 10_000


@dataclass(frozen=True, slots=True, order=True)
class KubernetesVersion:
    """A minor version, and a patch of it where one is named: ``patch`` None is the newest one that is known.

    Versions compare and are equal by their minor, which is what the documentation knows. A quirk may begin or end at a
    patch: ``Span``.
    """

    major: int
    minor: int
    patch: int | None = field(default=None, compare=False)

    @classmethod
    def parse(cls, text: str) -> "KubernetesVersion":
        """Read ``1.32``, ``v1.32.10`` or what a vendor makes of it; raises ``UsageError``."""
        match = _TEXT.fullmatch(text)
        if match is None:
            raise UsageError(Fault("", f"{text!r} is not a Kubernetes version", "a text such as 1.32 or v1.32.10"))
        return cls._read(match)

    @classmethod
    def _read(cls, match: re.Match[str]) -> "KubernetesVersion":
        return cls(int(match[1]), int(match[2]), None if match[3] is None else int(match[3]))

    @classmethod
    def known(cls, version: "str | KubernetesVersion") -> "KubernetesVersion | None":
        """Return a version whose behaviour can be asked for, None where it is another one or no version at all."""
        if isinstance(version, str):
            match = _TEXT.fullmatch(version)
            if match is None:
                return None
            version = cls._read(match)
        return version if OLDEST <= version <= NEWEST else None

    @classmethod
    def supported(cls, version: "str | KubernetesVersion") -> "KubernetesVersion":
        """Return a version whose behaviour can be asked for; raises ``UsageError`` with the range."""
        known = cls.known(version)
        if known is None:
            message = f"{str(version)!r} is not a Kubernetes version whose behaviour is known"
            raise UsageError(Fault("", message, SUPPORTED_RANGE))
        return known

    @property
    def of_minor(self) -> "KubernetesVersion":
        """The minor alone, which stands for its newest patch."""
        return KubernetesVersion(self.major, self.minor)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}" if self.patch is None else f"{self.major}.{self.minor}.{self.patch}"


OLDEST, NEWEST = KubernetesVersion(1, 27), KubernetesVersion(1, 37)
"""First and last version whose behaviour can be asked for."""
SUPPORTED_RANGE = f"{OLDEST} to {NEWEST}"
"""The same, as messages name it."""
DEFAULT = KubernetesVersion.parse("1.37")
"""The version whose decisions were recorded; its behaviour is followed where no other is asked for."""
SUPPORTED: tuple[KubernetesVersion, ...] = tuple(
    KubernetesVersion(1, minor) for minor in range(OLDEST.minor, NEWEST.minor + 1)
)


@dataclass(frozen=True, slots=True)
class Span:
    """The versions in which something holds: ``until`` is the last one, None where it still does.

    It begins with the first patch of ``since`` and ends with the last one of ``until``, unless these name a patch.
    """

    since: KubernetesVersion
    until: KubernetesVersion | None = None

    @classmethod
    @lru_cache
    def parse(cls, text: str) -> "Span":
        """Read ``1.23+``, ``1.32-1.33``, ``1.32`` or ``1.10-1.27.1``; raises ``ValueError``, as the texts are ours."""
        match = _SPAN.fullmatch(text)
        if match is None:
            raise ValueError(f"not a span of Kubernetes versions: {text!r}")
        since = KubernetesVersion.parse(match[1])
        if match[2]:
            return cls(since)
        return cls(since, KubernetesVersion.parse(match[3]) if match[3] else since)

    def __contains__(self, version: KubernetesVersion) -> bool:
        patch = (version, _LAST_PATCH if version.patch is None else version.patch)
        if patch < (self.since, self.since.patch or 0):
            return False
        if self.until is None:
            return True
        return patch <= (self.until, _LAST_PATCH if self.until.patch is None else self.until.patch)

    def __str__(self) -> str:
        if self.until is None:
            return f"{self.since}+"
        return str(self.since) if str(self.until) == str(self.since) else f"{self.since}-{self.until}"


T = TypeVar("T")


class Timeline(Generic[T]):
    """A fact that changes: each value holds from its version on, until the next one's. ``steps``: all, oldest first."""

    __slots__ = ("steps",)

    def __init__(self, *steps: tuple[str, T]) -> None:
        """Take (version, value) pairs, oldest first; raises ``ValueError`` when they are not in that order."""
        self.steps = tuple((KubernetesVersion.parse(since), value) for since, value in steps)
        if [since for since, _ in self.steps] != sorted({since for since, _ in self.steps}):
            raise ValueError("the steps of a history are in the order of their versions")

    def at(self, version: KubernetesVersion) -> T | None:
        """Return the value in a version; None before the first step."""
        reached: T | None = None
        for since, value in self.steps:
            if version >= since:
                reached = value
        return reached
