"""What a device plugin does, step by step, as subjects for checkers: it registers, prefers devices, serves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...machine import Machine
from ...protocol.message import Message
from ...protocol.messages.plugin import (
    AllocateDevices,
    DevicesAllocated,
    OfferedDevice,
    PluginFailed,
    PluginRefused,
    PluginStarted,
    PreferDevices,
    Preferred,
)

__all__ = ["HEALTHY", "DevicePreference", "DevicesServed", "PluginFollower", "Registration"]

HEALTHY = "Healthy"


@dataclass(frozen=True, slots=True)
class Registration:
    """A plugin was to register. ``started``: None where it did not, for the reason ``failure``.

    ``again``: with another kubelet, that came up in place of the first.
    """

    machine: Machine
    started: PluginStarted | None
    failure: str = ""
    again: bool = False

    @property
    def devices(self) -> Sequence[OfferedDevice]:
        """The devices of its list."""
        return self.started.devices if self.started else ()


@dataclass(frozen=True, slots=True)
class DevicePreference:
    """A plugin was asked what it prefers. ``preferred``: None where it refused, with the words ``refusal``."""

    asked: PreferDevices
    preferred: Sequence[str] | None
    refusal: str = ""

    @property
    def in_words(self) -> str:
        """What it answered, for a person."""
        return self.refusal or ", ".join(self.preferred or ()) or "none"


@dataclass(frozen=True, slots=True)
class DevicesServed:
    """A plugin was told which of its devices a container is given. ``containers``: None where it refused."""

    devices: Sequence[str]
    offered: frozenset[str]
    containers: int | None
    refusal: str = ""


class PluginFollower:
    """Takes the questions and replies of one history in order and yields what checkers judge."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._healthy: frozenset[str] | None = None

    def subjects(self, asked: Message, reply: Message) -> Iterator[object]:
        """Yield the subjects of one step."""
        again = self._healthy is not None
        match asked, reply:
            case _, PluginStarted():
                self._healthy = frozenset(device.id for device in reply.devices if device.health == HEALTHY)
                yield Registration(self._machine, reply, again=again)
            case _, PluginFailed():
                yield Registration(self._machine, None, reply.message, again=again)
            case PreferDevices(), Preferred():
                yield DevicePreference(asked, reply.devices)
            case PreferDevices(), PluginRefused():
                yield DevicePreference(asked, None, reply.message)
            case AllocateDevices(), DevicesAllocated():
                yield DevicesServed(asked.devices, self._healthy or frozenset(), reply.containers)
            case AllocateDevices(), PluginRefused():
                yield DevicesServed(asked.devices, self._healthy or frozenset(), None, reply.message)
