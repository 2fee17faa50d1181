"""The file of known failures: what may fail without failing the run, each with a reason and a link."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import Fault, UsageError, closest
from ..reading import read_documents
from .requirements import REQUIREMENTS

__all__ = ["KnownFailure", "KnownFailures"]

_FIELDS = ("requirement", "reason", "link", "expires")


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """One entry: a requirement id, why it is not met, where that is followed up, and until when it is tolerated."""

    requirement: str
    reason: str
    link: str
    expires: str | None = None


@dataclass(frozen=True)
class KnownFailures:
    """All entries of a file, by requirement."""

    entries: dict[str, KnownFailure]

    @classmethod
    def read(cls, path: str) -> KnownFailures:
        """Read a YAML list of entries; "" is none. Raises ``UsageError`` with every fault, expired entries included."""
        if not path:
            return cls({})
        documents = read_documents(Path(path))
        items = documents[0].value if documents else []
        if not isinstance(items, list):
            raise UsageError(Fault(path, "is no list", "a list of requirement, reason, link, expires"))
        faults: list[Fault] = []
        entries = [_entry(item, f"{path}: [{index}]", faults) for index, item in enumerate(items)]
        if faults:
            raise UsageError(faults)
        return cls({one.requirement: one for one in entries})

    def covers(self, requirements: Iterable[str]) -> bool:
        """Tell whether a case of these requirements may fail."""
        return any(name in self.entries for name in requirements)

    def reason(self, requirements: Iterable[str]) -> str:
        """Return why a case of these requirements may fail."""
        found = [self.entries[name] for name in requirements if name in self.entries]
        return "; ".join(f"{one.reason} ({one.link})" for one in found)


def _entry(item: object, place: str, faults: list[Fault]) -> KnownFailure:
    fields = item if isinstance(item, dict) else {}
    if not fields:
        faults.append(Fault(place, "is no entry", ", ".join(_FIELDS)))
    for key in fields:
        if key not in _FIELDS:
            faults.append(Fault(f"{place}.{key}", "unknown field", ", ".join(_FIELDS), closest(str(key), _FIELDS)))
    for key in ("requirement", "reason", "link"):
        if not isinstance(fields.get(key), str) or not fields[key].strip():
            faults.append(Fault(f"{place}.{key}", "is missing", "a text"))
    name = str(fields.get("requirement", ""))
    if name and name not in REQUIREMENTS:
        faults.append(Fault(f"{place}.requirement", f"{name!r} is not known", suggestion=closest(name, REQUIREMENTS)))
    expires = fields.get("expires")
    if expires is not None:
        _check_expiry(str(expires), f"{place}.expires", faults)
    return KnownFailure(name, str(fields.get("reason")), str(fields.get("link")), str(expires) if expires else None)


def _check_expiry(text: str, place: str, faults: list[Fault]) -> None:
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        faults.append(Fault(place, f"{text!r} is no date", "YYYY-MM-DD"))
        return
    if day < datetime.datetime.now(datetime.timezone.utc).date():
        faults.append(Fault(place, f"expired on {text}; meet the requirement or renew the entry"))
