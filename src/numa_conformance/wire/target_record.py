"""What a target says of itself, in all processes that are asked: who it is, and what it does not support."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ..printable import listed
from .faults import BadReply, Unsupported, shorten
from .message import Message, Request
from .messages.describe import Description
from .messages.host import Discover

_FREE_FIELDS = {"name", "version"}
"""Fields that no claim depends on: a daemon may name its process there, or when it was built."""
_CONFIGURING = ("kubelet", "reserved_cpus")
"""The fields of a question, beside the machine, that configure it."""
Statements = tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]], Mapping[str, str], bool, int]
"""What a record has of a process: see its properties."""
_Machines = defaultdict[tuple[str, str, bytes], list[Any]]


class TargetRecord:
    """Keeps the first description of a target, and each later answer that contradicts it.

    A target claims the same in every process. A machine that it does not support, in one configuration, it never
    supports in that configuration.
    """

    def __init__(self, description: Description | None = None) -> None:
        """Take the description that the target gave elsewhere, if it did."""
        self.description = description
        self.outside: dict[str, list[str]] = {}
        """Why machines are outside of what the target supports, in its words, to their names."""
        self.contradictions: dict[str, list[str]] = {}
        """Each contradiction in words, to its machines or fields of the description."""
        self.absences: dict[str, str] = {}
        """Why the program behind the target was not met, to what it said the first time."""
        self.has_started = False
        self.restarts = 0
        """The most times that the program behind the target was started again before it was met."""
        self._answered: _Machines = defaultdict(list)
        self._refused: _Machines = defaultdict(list)

    def describes(self, description: Description) -> Description:
        """Return the description that counts: the first one."""
        if self.description is None:
            self.description = description
        for difference in _differences(self.description, description):
            _add(self.contradictions, "describe reports otherwise when it is asked again", difference)
        return self.description

    def answers(self, request: Request[Any], reply: Message) -> None:
        """Take note of an answer."""
        self._note(request, self._answered, self._refused)
        self.has_started |= reply.__struct_config__.tag == "started"
        self.restarts = max(self.restarts, getattr(reply, "restarts", 0))
        if absence := getattr(reply, "absence", None):
            self.absences.setdefault(absence, getattr(reply, "message", ""))

    @property
    def is_absent(self) -> bool:
        """Whether the program behind the target was met on no machine."""
        return bool(self.absences) and not self.has_started

    @property
    def statements(self) -> Statements:
        """What ``also`` takes."""
        return self.outside, self.contradictions, self.absences, self.has_started, self.restarts

    def refuses(self, request: Request[Any], fault: Unsupported) -> None:
        """Take note of a machine that is outside; raises ``BadReply`` for a question without a machine."""
        machine = _machine_name(request)
        if machine is None:
            why = f"{request.method.name} reports no machine, so none is outside of what is supported: {fault.reason}"
            raise BadReply(why, fault.exchange) from None
        _add(self.outside, fault.reason, machine)
        self._note(request, self._refused, self._answered)

    def also(self, statements: Statements) -> None:
        """Take the statements of the same target from another process."""
        outside, contradictions, absences, has_started, restarts = statements
        self.absences = {**absences, **self.absences}
        self.has_started |= has_started
        self.restarts = max(self.restarts, restarts)
        for lists, others in ((self.outside, outside), (self.contradictions, contradictions)):
            for key, names in others.items():
                for name in names:
                    _add(lists, key, name)

    def _note(self, request: Request[Any], known: _Machines, others: _Machines) -> None:
        """Keep the machine of a question, by its CPUs, as names may be alike, and by its configuration."""
        machine = machine_of(request)
        if not isinstance(machine, dict):
            return
        method, name, cpus = request.method.name, _name_of(machine), machine.get("cpus")
        key = method, name, msgspec.json.encode([getattr(request, field, None) for field in _CONFIGURING])
        if cpus not in known[key]:
            known[key].append(cpus)
        if cpus in others.get(key, ()):
            refused = f"{method} says that it does not support machines on which, configured alike, it answers"
            _add(self.contradictions, refused, name)


def _add(lists: dict[str, list[str]], key: str, name: str) -> None:
    names = lists.setdefault(key, [])
    if name not in names:
        names.append(name)


def machine_of(request: Request[Any]) -> Any:
    """Return the machine of a question, or None."""
    return getattr(request, "machine", None)


def _name_of(machine: dict[str, Any]) -> str:
    return str(machine.get("name") or "a machine without a name")


def _machine_name(request: Request[Any]) -> str | None:
    """Return the name of the machine that a question is about, or None."""
    if isinstance(request, Discover):
        return f"the host below {request.root}"
    machine = machine_of(request)
    return _name_of(machine) if isinstance(machine, dict) else None


def _differences(first: Description, now: Description) -> Iterator[str]:
    before, after = msgspec.to_builtins(first), msgspec.to_builtins(now)
    for field in {**before, **after}:
        old, new = before.get(field), after.get(field)
        if field in _FREE_FIELDS:
            continue
        if isinstance(old or new, list):
            gone, come = (sorted(set(left or ()) - set(right or ())) for left, right in ((old, new), (new, old)))
            signs = (("without ", gone), ("with ", come))
            if changes := [f"{sign}{listed(names, 3)}" for sign, names in signs if names]:
                yield f"{field} {' and '.join(changes)}"
        elif old != new:
            yield f"{field} {shorten(ascii(new))} in place of {shorten(ascii(old))}"
