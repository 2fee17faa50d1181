"""What a target says of itself, in all processes in which it is asked: who it is, and what it does not support."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..printable import listed
from .faults import BadReply, Unsupported, shorten
from .message import Request
from .messages.describe import Description
from .messages.host import Discover

_OWN_WORDS = {"name", "version"}
"""What no claim hangs on: a daemon may name its process there, or when it was built."""
_CONFIGURING = ("kubelet", "reserved_cpus")
"""What a question tells of how a machine is configured, beside the machine."""
_Machines = defaultdict[tuple[str, str, bytes], list[Any]]


class Said:
    """Takes the first word of a target, and keeps where it says otherwise later.

    A target is one: it claims the same in every process, and a machine that it does not support, configured as a
    question tells, it never supports so.
    """

    def __init__(self, described: Description | None = None) -> None:
        """Take the description that it gave elsewhere, if it did."""
        self.description = described
        self.outside: dict[str, list[str]] = {}
        """Why machines are outside of what the target supports, as it says, to their names."""
        self.contradictions: dict[str, list[str]] = {}
        """Where it says otherwise, in words, to what: machines, or fields of its description."""
        self._answered: _Machines = defaultdict(list)
        self._refused: _Machines = defaultdict(list)

    def describes(self, described: Description) -> Description:
        """Return what it is taken for: what it said first."""
        if self.description is None:
            self.description = described
        for other in _told_otherwise(self.description, described):
            _add(self.contradictions, "describe tells otherwise when it is asked again", other)
        return self.description

    def answers(self, request: Request[Any]) -> None:
        """Take note of an answer."""
        self._note(request, self._answered, self._refused)

    def refuses(self, request: Request[Any], fault: Unsupported) -> None:
        """Take note of a machine that is outside; raises ``BadReply`` where no machine was told."""
        machine = _machine_of(request)
        if machine is None:
            why = f"{request.method.name} tells no machine, so none is outside of what is supported: {fault.reason}"
            raise BadReply(why, fault.exchange) from None
        _add(self.outside, fault.reason, machine)
        self._note(request, self._refused, self._answered)

    def also(self, outside: Mapping[str, Sequence[str]], contradictions: Mapping[str, Sequence[str]]) -> None:
        """Take what the same target has said in another process."""
        for kept, told in ((self.outside, outside), (self.contradictions, contradictions)):
            for key, names in told.items():
                for name in names:
                    _add(kept, key, name)

    def _note(self, request: Request[Any], kept: _Machines, others: _Machines) -> None:
        """Keep the machine that a question tells: by its CPUs, as names may be alike, and how it is configured."""
        machine = told_machine(request)
        if not isinstance(machine, dict):
            return
        method, name, cpus = request.method.name, _name_of(machine), machine.get("cpus")
        told = method, name, msgspec.json.encode([getattr(request, field, None) for field in _CONFIGURING])
        if cpus not in kept[told]:
            kept[told].append(cpus)
        if cpus in others.get(told, ()):
            refused = f"{method} says that it does not support machines on which, configured alike, it answers"
            _add(self.contradictions, refused, name)


def _add(lists: dict[str, list[str]], key: str, name: str) -> None:
    known = lists.setdefault(key, [])
    if name not in known:
        known.append(name)


def told_machine(request: Request[Any]) -> Any:
    """Return the machine that a question tells; None where it tells none."""
    return getattr(request, "machine", None)


def _name_of(machine: dict[str, Any]) -> str:
    return str(machine.get("name") or "a machine without a name")


def _machine_of(request: Request[Any]) -> str | None:
    """Return the name of the machine that a question is about; None where it tells none."""
    if isinstance(request, Discover):
        return f"the host below {request.root}"
    machine = told_machine(request)
    return _name_of(machine) if isinstance(machine, dict) else None


def _told_otherwise(first: Description, now: Description) -> Iterator[str]:
    """Yield the fields of a description that differ, and how."""
    before, after = msgspec.to_builtins(first), msgspec.to_builtins(now)
    for field in {**before, **after}:
        old, new = before.get(field), after.get(field)
        if field in _OWN_WORDS:
            continue
        if isinstance(old or new, list):
            gone, come = (sorted(set(one or ()) - set(other or ())) for one, other in ((old, new), (new, old)))
            signs = (("without ", gone), ("with ", come))
            if changes := [f"{sign}{listed(names, 3)}" for sign, names in signs if names]:
                yield f"{field} {' and '.join(changes)}"
        elif old != new:
            yield f"{field} {shorten(ascii(new))} in place of {shorten(ascii(old))}"
