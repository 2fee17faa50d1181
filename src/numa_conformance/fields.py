"""Fields of JSON and YAML objects, checked one by one: every fault is collected with its path."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import Fault, UsageError, closest

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
_LONGEST_SHOWN = 40
_MOST_FAULTS = 100


class Fields:
    """Checks values one by one; a wrong one is recorded, and a harmless one returned in its place.

    An absent value (None) is no fault: it counts as the default, or as empty. ``raise_if_any`` refuses the input whole.
    """

    def __init__(self, place: str = "") -> None:
        """Take what stands before every field path: a file, a document, a field of a message."""
        self._place = place
        self._faults: dict[Fault, None] = {}  # a fault of several values is told once
        self._untold = 0

    @property
    def sound(self) -> bool:
        """Whether no fault was recorded so far."""
        return not self._faults

    @property
    def is_full(self) -> bool:
        """Whether so many faults were recorded that no more are told."""
        return len(self._faults) >= _MOST_FAULTS

    def fault(self, path: str, message: str, accepted: str | None = None, suggestion: str | None = None) -> None:
        """Record one fault; of a file that is full of them the first hundred are told."""
        if self.is_full:
            self._untold += 1
        else:
            self._faults[Fault(self._at(path), message, accepted, suggestion)] = None

    def take(self, path: str, error: UsageError) -> None:
        """Record the faults of an error raised for the value at ``path``."""
        faults = error.within(self._at(path)).faults if self._at(path) else error.faults
        self._faults.update(dict.fromkeys(faults))

    def take_below(self, path: str, error: UsageError) -> None:
        """Record the faults of an error whose own places are field paths below ``path``."""
        for fault in error.faults:
            below = f"{path}.{fault.place}" if fault.place else path
            self.fault(below, fault.message, fault.accepted, fault.suggestion)

    def raise_if_any(self) -> None:
        """Raise ``UsageError`` with all that was recorded."""
        if self._untold:
            self._faults[Fault(self._place, f"and {self._untold} more faults")] = None
        if self._faults:
            raise UsageError(self._faults)

    def mapping(self, value: object, path: str) -> Mapping[str, Any]:
        """Return an object."""
        if value is None:
            return {}
        if isinstance(value, Mapping):
            return value
        self.fault(path, f"is {kind_of(value)}", "an object")
        return {}

    def entries(self, value: object, path: str) -> list[tuple[str, Any]]:
        """Return the path and the value of every entry of a list."""
        if value is None:
            return []
        if isinstance(value, list):
            return [(f"{path}[{index}]", entry) for index, entry in enumerate(value)]
        self.fault(path, f"is {kind_of(value)}", "a list")
        return []

    def text(self, value: object, path: str, default: str = "") -> str:
        """Return a text."""
        if value is None:
            return default
        if isinstance(value, str):
            return value
        self.fault(path, f"is {kind_of(value)}{_quoting(value)}", "a text")
        return default

    def name(self, value: object, path: str, default: str = "") -> str:
        """Return a text that lines of ours may begin with."""
        text = self.text(value, path, default)
        if not text.isprintable():
            self.fault(path, f"is {shown(text)}", "one line of printable characters")
        return text

    def whole(
        self, value: object, path: str, default: int = 0, *, low: int | None = None, high: int | None = None
    ) -> int:
        """Return a whole number from ``low`` to ``high``."""
        if value is None:
            return default
        if type(value) is int and (low is None or low <= value) and (high is None or value <= high):
            return value
        self.fault(path, f"is {shown(value)}", whole_number(low, high))
        return default

    def flag(self, value: object, path: str, *, default: bool) -> bool:
        """Return true or false."""
        if value is None:
            return default
        if not isinstance(value, bool):
            self.fault(path, f"is {shown(value)}", "true or false")
        return value is True

    def known(self, obj: Mapping[str, Any], path: str, names: Iterable[str], *, listed: bool = True) -> None:
        """Refuse keys other than ``names``, which are told to the reader where they are ``listed``."""
        names = tuple(names)
        for key in obj:
            if key not in names:
                below = f"{path}.{key}" if path else str(key)
                near = None if self.is_full else closest(str(key), names)
                self.fault(below, "unknown field", ", ".join(names) if listed else None, near)

    def same(self, obj: Mapping[str, Any], **accepted: str) -> None:
        """Refuse a field that is there and has another text: ``apiVersion`` and ``kind`` of a Kubernetes object."""
        for key, text in accepted.items():
            if obj.get(key) not in (None, text):
                self.fault(key, f"is {obj[key]!r}", text)

    def _at(self, path: str) -> str:
        return ": ".join(part for part in (self._place, path) if part)


def object_at(obj: object, *names: str) -> Mapping[str, Any]:
    """Return the object at a path of fields of something that nobody has checked, an empty one where there is none."""
    for name in names:
        obj = obj.get(name) if type(obj) is dict or isinstance(obj, Mapping) else None  # the first is many times faster
    return obj if type(obj) is dict or isinstance(obj, Mapping) else {}


def objects_at(obj: object, *names: str) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of the list at a path of fields of something that nobody has checked."""
    entries = object_at(obj, *names[:-1]).get(names[-1])
    return tuple(entry for entry in entries if isinstance(entry, Mapping)) if isinstance(entries, list) else ()


def condition(obj: object, kind: str, holds: str = "True") -> Mapping[str, Any] | None:
    """Return a condition in the status of something that nobody has checked; None where it is not reported so."""
    reported = objects_at(obj, "status", "conditions")
    return next((each for each in reported if (each.get("type"), each.get("status")) == (kind, holds)), None)


def object_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raises ``ValueError`` where a key is given twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {shown(twice)} is given twice")
    return made


def whole_number(low: int | None, high: int | None) -> str:
    """Say which whole numbers are accepted."""
    return "a whole number" + (f" from {low}" if low is not None else "") + (f" to {high}" if high is not None else "")


def shown(value: object) -> str:
    """Return a number or a short text as it is, in place of a larger value what kind it is."""
    if value == "" or not isinstance(value, (str, bool, int, float)):
        return kind_of(value)
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def kind_of(value: object) -> str:
    """Return what a value is to the person who wrote it."""
    if value is None:
        return "missing"
    return "empty" if value == "" else _KINDS.get(type(value), type(value).__name__)


def _quoting(value: object) -> str:
    """Say how YAML's bare numbers and booleans become texts."""
    if isinstance(value, bool):
        return f'; put it in quotes: "{str(value).lower()}"'
    return f'; put it in quotes: "{value}"' if isinstance(value, (int, float)) else ""
