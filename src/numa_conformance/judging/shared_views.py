"""Views that several subjects share, so that one sentence is judged once, from any source. Unknown facts are None."""

from fractions import Fraction

import msgspec

from ..cpuset import format_bits
from ..machine import Machine
from ..wire.history.sightings import Runs
from ..wire.history.values import HoldingBits
from .pods import ContainerSpec
from .settings import Settings

PERIOD = 100_000
"""Microseconds in which CFS quota is counted."""


class ContainerView(msgspec.Struct, frozen=True):
    """One container and what it was given. Sets of CPUs are bits.

    - ``held``: what it holds. None where its pod is not told of, or where it was refused.
    - ``pool``: the shared pool.
    - ``exclusive``: how many CPUs of its own it asks for. None where that is not known, or says nothing.
    - ``spec``: what its user wrote. ``limit``: its CPU limit.
    - ``had``: the CPUs it had when it was asked for again.
    - ``ended``: it is an init container that may have ended, and given back what it had.
    - ``alone``: it was asked for without its pod; then ``reason`` and ``refusal`` say why it was refused.
    - ``other``: what it holds by another source, the ``teller``.
    - ``runs``: what it runs on. ``settled``: the pool has not changed lately.
    - ``unexplained``: nothing is known of how it came to what it holds.
    - ``is_given_the_pool``: where it shares CPUs, its cpuset is the whole pool: a kubelet writes no part of it.
    - ``pod_quota``: the CFS quota of its pod's cgroup, in microseconds; None where that is not told.
    """

    machine: Machine
    settings: Settings
    uid: str
    name: str
    held: HoldingBits | None
    pool: int | None
    qos: str | None = None
    exclusive: int | None = None
    spec: ContainerSpec | None = None
    limit: Fraction | None = None
    had: int | None = None
    ended: bool = False
    alone: bool = False
    reason: str = ""
    refusal: str = ""
    other: HoldingBits | None = None
    teller: str = "the node"
    runs: Runs | None = None
    settled: bool = True
    unexplained: bool = False
    is_given_the_pool: bool = False
    pod_quota: int | None = None

    @property
    def key(self) -> str:
        """Its pod's uid and its name, as facts about it are named too."""
        return f"{self.uid}/{self.name}"

    @property
    def cpus(self) -> int:
        """Its exclusive CPUs; none where it was refused."""
        return self.held.cpus if self.held else 0

    @property
    def in_words(self) -> str:
        """Its CPUs for a person, or why it has none."""
        if self.held is None:
            return f"{self.reason}: {self.refusal}" if self.reason else self.refusal or "a refusal"
        return format_bits(self.held.cpus) or "none"

    @property
    def options(self) -> frozenset[str]:
        """The static policy's options that are on."""
        return self.settings.options if self.settings.static else frozenset()

    @property
    def is_never_bounded(self) -> bool:
        """Whether it shares CPUs, and no sentence says what CFS quota it has, where that is told: it has no limit."""
        is_shown = self.held is not None and self.held.quota is not None
        return is_shown and not self.cpus and (self.limit is None or not self.settings.quota)

    @property
    def chosen(self) -> int | None:
        """What it holds, where no choice is known by which it came to it: then the choice is judged."""
        return self.cpus or None if self.unexplained else None

    def about(self, *facts: str) -> tuple[str, ...]:
        """Return facts as ``judging/sighting.py`` calls them: of this container, or ``qos`` of its pod."""
        return tuple(
            f"qos:{self.uid}" if fact == "qos" else fact if ":" in fact or fact == "pool" else f"{fact}:{self.key}"
            for fact in facts
        )


class NodeContainer(ContainerView, frozen=True):
    """A container on a node, which tells more than one allocation: memory, quota, what it runs on."""


class Neighbours(msgspec.Struct, frozen=True):
    """Containers of one pod that run at once, each with CPUs of its own."""

    containers: tuple[ContainerView, ...]


class Together(msgspec.Struct, frozen=True):
    """What is aligned at once: of a container or a pod, ``who``.

    ``places``: for each thing that it has the NUMA nodes (bits) on any of which it may be.
    """

    settings: Settings
    who: str
    places: tuple[int, ...]
    in_words: str
    about: tuple[str, ...] = ()


class Demand(msgspec.Struct, frozen=True):
    """Exclusive CPUs that are asked for at once, and CPUs that can be given (bits).

    - ``at_least``: so many are needed, even where some serve twice. ``enough``: so many serve for sure.
    - ``by_number``: their number alone decides.
    - ``refusal``: None where it was served.
    """

    who: str
    at_least: int
    enough: int
    available: int
    by_number: bool
    refusal: str | None
    in_words: str = ""


class Leftover(msgspec.Struct, frozen=True):
    """CPUs (bits) that are still assigned to a pod which is gone from a node at work."""

    settings: Settings
    uid: str
    missing: int
    pool: int
    was_there: bool = True


class Reuse(Demand, frozen=True):
    """A demand that CPUs of an init container may have to serve again."""


class Division(msgspec.Struct, frozen=True):
    """How CPUs (bits) are divided: ``whole`` is what pool and exclusive CPUs share; ``left`` may be either, or none."""

    settings: Settings
    whole: int
    pool: int | None
    exclusive: int
    left: int
    reserved: int | None


class FoundFile(msgspec.Struct, frozen=True):
    """A state file that was there when a node was to come up: what it is ``of``, and what the configuration wants."""

    file: str
    of: str
    wanted: str
    written: str
    up: bool
    about: tuple[str, ...] = ()
