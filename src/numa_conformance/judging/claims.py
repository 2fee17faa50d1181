"""What a DRA driver does, step by step, as subjects for checkers: it publishes devices, prepares claims, unprepares."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from ..cpuset import union
from ..machine import Machine
from ..wire.history.answers import PreparedClaim
from ..wire.history.quantities import AllocatedClaim
from ..wire.history.values import bits
from ..wire.message import Message
from ..wire.messages import claims as messages
from .published import DeviceKey, PublishedDevice, Slice, devices_of, slices_of


class Publication(msgspec.Struct, frozen=True):
    """A driver was to publish devices. ``devices``: None where it did not, for the reason ``failure``.

    ``again``: it had been started before on the same machine, and published ``before``. ``slices``: of each pool those
    of its highest generation.
    """

    machine: Machine
    devices: tuple[PublishedDevice, ...] | None
    failure: str = ""
    again: bool = False
    before: tuple[PublishedDevice, ...] = ()
    slices: tuple[Slice, ...] = ()


class Preparation(msgspec.Struct, frozen=True):
    """A claim was to be prepared. ``cpus``: its container's, as bits; None where it was refused, with ``refusal``.

    ``wanted``: CPUs, or other units, by device; ``left``: what other claims leave of these devices. ``had``: a claim
    that was unprepared had had some of them. ``shares``: containers without a claim need some too. ``before``: what the
    claim itself has, as bits; None where it was not prepared. ``restarted``: the driver started anew since.
    ``others``: what every other claim has. ``mems``: the NUMA nodes of its container's memory, as bits; None where
    nothing keeps it.
    """

    machine: Machine
    wanted: tuple[tuple[PublishedDevice, int], ...]
    cpus: int | None
    refusal: str
    reserved: int
    left: Mapping[DeviceKey, int]
    had: bool
    shares: bool
    before: int | None
    restarted: bool
    others: Mapping[str, int]
    mems: int | None = None

    @property
    def count(self) -> int:
        """How many CPUs the claim consumes."""
        return sum(count for device, count in self.wanted if device.cpus)

    @property
    def fits(self) -> bool:
        """Whether what is left suffices, and nobody else needs some."""
        wanted = Counter[DeviceKey]()
        for device, count in self.wanted:
            wanted[device.key] += count
        return not self.shares and all(count <= self.left[key] for key, count in wanted.items())

    @property
    def in_words(self) -> str:
        """What it consumes, for a person."""
        return "; ".join(
            f"{count} of {device.key[-1]}, where {self.left[device.key]} of {device.units} {device.unit} are left"
            for device, count in self.wanted
        )


class Release(msgspec.Struct, frozen=True):
    """A claim was to be unprepared. ``refusal``: None where it was."""

    was_prepared: bool
    refusal: str | None


class Coexistence(msgspec.Struct, frozen=True):
    """Containers without a claim run beside claims: what each may run on, what claims have and leave, as bits.

    ``online``: all CPUs.
    """

    shared: Mapping[str, int]
    claims: int
    left: int
    online: int


@dataclass(slots=True)
class _Claim:
    cpus: int
    wanted: tuple[tuple[PublishedDevice, int], ...]
    restarted: bool = False


@dataclass(slots=True)
class ClaimFollower:
    """Takes the questions and replies of one history in order and yields what checkers judge."""

    machine: Machine
    _devices: dict[DeviceKey, PublishedDevice] = field(default_factory=dict)
    _claims: dict[str, _Claim] = field(default_factory=dict)
    _had: set[DeviceKey] = field(default_factory=set)
    _reserved: int = 0
    _shared: Mapping[str, int] = field(default_factory=dict)
    _running: set[str] = field(default_factory=set)

    def subjects(self, question: Message, reply: Message) -> Iterator[object]:
        """Yield the subjects of one step."""
        match question, reply:
            case _, messages.DriverStarted() | messages.DriverFailed():
                yield self._published(question, reply)
            case messages.PrepareClaim(), PreparedClaim() | messages.ClaimRefused():
                yield from self._prepared(question, reply)
            case messages.UnprepareClaim(), messages.ClaimUnprepared() | messages.ClaimRefused():
                yield self._released(question, reply)
            case messages.RunShared(), messages.SharedRuns():
                self._running.add(question.name)
                yield from self._coexisting(reply.shared)
            case messages.EndShared(), messages.SharedRuns():
                self._running.discard(question.name)
                yield from self._coexisting(reply.shared)

    def _published(self, question: Message, reply: messages.DriverStarted | messages.DriverFailed) -> Publication:
        again, before = not isinstance(question, messages.StartDriver), tuple(self._devices.values())
        if isinstance(question, messages.StartDriver):
            self._claims, self._had, self._reserved, self._shared = {}, set(), bits(question.reserved_cpus), {}
            self._running = set()
        for claim in self._claims.values():
            claim.restarted = True
        if isinstance(reply, messages.DriverFailed):
            return Publication(self.machine, None, reply.message, again, before)
        try:
            slices = slices_of(reply.slices)
            devices = tuple(devices_of(slices))
        except ValueError as error:
            return Publication(self.machine, None, f"a slice that the API does not take: {error}", again, before)
        self._devices = {device.key: device for device in devices}
        return Publication(self.machine, devices, again=again, before=before, slices=tuple(slices))

    def _coexisting(self, shared: Mapping[str, str] | None) -> Iterator[Coexistence]:
        """Yield what is told of containers without a claim; of one that runs and is left out, that it has no CPU."""
        if shared is None:
            self._shared = {}
            return
        self._shared = {**dict.fromkeys(self._running, 0), **{name: bits(cpus) for name, cpus in shared.items()}}
        if self._shared:
            claims, online = union(claim.cpus for claim in self._claims.values()), self.machine.online_bits
            yield Coexistence(self._shared, claims, online & ~claims & ~self._reserved, online)

    def _prepared(
        self, question: messages.PrepareClaim, reply: PreparedClaim | messages.ClaimRefused
    ) -> Iterator[object]:
        claim = AllocatedClaim.of(question.claim)
        wanted = self._wanted((reply.claim if isinstance(reply, PreparedClaim) else None) or claim)
        if wanted is None:
            return
        uid = claim.metadata.uid
        known = self._claims.pop(uid, None)
        others = {other: claim.cpus for other, claim in self._claims.items()}
        cpus = bits(reply.cpus) if isinstance(reply, PreparedClaim) else None
        left = {device.key: device.units for device, _ in wanted}
        for device, count in (each for claim in self._claims.values() for each in claim.wanted):
            if device.key in left:
                left[device.key] -= count
        yield Preparation(
            self.machine,
            wanted,
            cpus,
            reply.message if isinstance(reply, messages.ClaimRefused) else "",
            self._reserved,
            left,
            any(device.key in self._had for device, _ in wanted),
            bool(self._shared),
            known.cpus if known else None,
            known is not None and known.restarted,
            others,
            None if isinstance(reply, messages.ClaimRefused) or reply.mems is None else bits(reply.mems),
        )
        if isinstance(reply, PreparedClaim):
            self._claims[uid] = _Claim(bits(reply.cpus), wanted)
            yield from self._coexisting(reply.shared)
        elif known is not None:
            self._claims[uid] = known

    def _wanted(self, claim: AllocatedClaim) -> tuple[tuple[PublishedDevice, int], ...] | None:
        """Return the units that a claim consumes of each device of this driver.

        None where one is none that was published, or where all are of other drivers.
        """
        drivers = {driver for driver, _, _ in self._devices}
        wanted = []
        for result in claim.results:
            if result.driver not in drivers:
                continue
            device = self._devices.get((result.driver, result.pool, result.device))
            if device is None:
                return None
            wanted.append((device, device.consumed(result.consumed_capacity)))
        return tuple(wanted) or None

    def _released(self, question: messages.UnprepareClaim, reply: Message) -> Release:
        claim = self._claims.get(question.uid)
        if isinstance(reply, messages.ClaimRefused):
            return Release(claim is not None, reply.message)
        if claim is not None:
            self._had |= {device.key for device, _ in claim.wanted}
            del self._claims[question.uid]
        return Release(claim is not None, None)
