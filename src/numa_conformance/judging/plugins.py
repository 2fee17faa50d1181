"""What a device plugin does, step by step, as subjects for checkers: it registers, prefers devices, serves them."""

from collections.abc import Iterator, Sequence

import msgspec

from ..machine import Machine
from ..wire.message import Message
from ..wire.messages import plugin as messages

HEALTHY = "Healthy"


class Registration(msgspec.Struct, frozen=True):
    """A plugin was to register. ``started``: None where it did not, for the reason ``failure``.

    ``again``: with another kubelet, that came up in place of the first; ``before``: the resource that it had then.
    """

    machine: Machine
    started: messages.PluginStarted | None
    failure: str = ""
    again: bool = False
    before: str = ""


class DeviceList(msgspec.Struct, frozen=True):
    """A list that a plugin has sent: the first to a kubelet, or one that takes the place of another, ``before``."""

    machine: Machine
    devices: Sequence[messages.OfferedDevice]
    before: Sequence[messages.OfferedDevice] = ()


class DevicePreference(msgspec.Struct, frozen=True):
    """The answer of a plugin to a request for its preference. ``preferred``: None for a refusal, with its text."""

    question: messages.PreferDevices
    preferred: Sequence[str] | None
    refusal: str = ""

    @property
    def in_words(self) -> str:
        """What it answered, for a person."""
        return self.refusal or ", ".join(self.preferred or ()) or "none"


class DevicesServed(msgspec.Struct, frozen=True):
    """The devices that a plugin allocates to a container. ``containers``: None for a refusal."""

    devices: Sequence[str]
    offered: frozenset[str]
    containers: int | None
    refusal: str = ""


class PluginFollower:
    """Takes the questions and replies of one history in order and yields what checkers judge."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._healthy: frozenset[str] | None = None
        self._devices: Sequence[messages.OfferedDevice] = ()
        self._resource = ""

    def subjects(self, question: Message, reply: Message) -> Iterator[object]:
        """Yield the subjects of one step."""
        again = self._healthy is not None and not isinstance(question, messages.StartPlugin)
        if isinstance(reply, messages.Preferred | messages.DevicesAllocated | messages.PluginRefused):
            for devices in reply.lists:  # before the answer: who refuses devices that it has taken back is right
                yield self._listed(devices)
        match question, reply:
            case _, messages.PluginStarted():
                yield Registration(self._machine, reply, again=again, before=self._resource if again else "")
                self._resource, self._devices = reply.resource, self._devices if again else ()
                yield self._listed(reply.devices)
            case _, messages.PluginFailed(absence="finished" | "silent"):
                pass  # it offers nothing here
            case _, messages.PluginFailed():
                yield Registration(self._machine, None, reply.message, again=again)
            case messages.PreferDevices(), messages.Preferred():
                yield DevicePreference(question, reply.devices)
            case messages.PreferDevices(), messages.PluginRefused():
                yield DevicePreference(question, None, reply.message)
            case messages.AllocateDevices(), messages.DevicesAllocated():
                yield DevicesServed(question.devices, self._healthy or frozenset(), reply.containers)
            case messages.AllocateDevices(), messages.PluginRefused():
                yield DevicesServed(question.devices, self._healthy or frozenset(), None, reply.message)

    def _listed(self, devices: Sequence[messages.OfferedDevice]) -> DeviceList:
        self._healthy = frozenset(device.id for device in devices if device.health == HEALTHY)
        before, self._devices = self._devices, devices
        return DeviceList(self._machine, devices, before)
