"""The file of known failures: what may fail without failing the run, each with a reason and a link."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import yaml
from msgspec import Meta, structs

from ..errors import Fault, UsageError, closest
from ..reading import read_documents, read_form
from .requirements import REQUIREMENTS

__all__ = ["KnownFailure", "KnownFailures", "check_expiry"]

_Text = Annotated[str, Meta(min_length=1)]


class KnownFailure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry: a requirement id, why it is not met, where that is followed up, and until when it is tolerated."""

    requirement: _Text
    reason: _Text
    link: _Text
    expires: str | None = None


@dataclass(frozen=True)
class KnownFailures:
    """All entries of a file, by requirement."""

    entries: dict[str, KnownFailure]

    @classmethod
    def read(cls, path: str, *, may_have_expired: bool = False) -> KnownFailures:
        """Read a YAML list of entries; "" is none. Raises ``UsageError`` with every fault, expired entries included."""
        if not path:
            return cls({})
        documents = read_documents(Path(path))
        items = documents[0].value if documents else []
        if not isinstance(items, list):
            raise UsageError(Fault(path, "is no list", "a list of requirement, reason, link, expires"))
        faults: list[Fault] = []
        entries: dict[str, KnownFailure] = {}
        for index, item in enumerate(items):
            try:
                entry = read_form(KnownFailure, item, path, f"[{index}]")
            except UsageError as error:
                faults.extend(error.faults)
            else:
                faults += _faults(entry, f"{path}: [{index}]", may_have_expired=may_have_expired)
                entries[entry.requirement] = entry
        if faults:
            raise UsageError(faults)
        return cls(entries)

    def refreshed(self, unmet: Iterable[str], tested: Iterable[str], new: KnownFailure | None) -> KnownFailures:
        """Return the entries for what is unmet now.

        An entry that is met now goes; one whose requirement was not ``tested`` stays. What is unmet and has no entry
        gets the reason, link and expiry of ``new``; raises ``UsageError`` when there is such a requirement and no
        ``new``.
        """
        failing, seen = set(unmet), set(tested)
        kept = {name: entry for name, entry in self.entries.items() if name in failing or name not in seen}
        missing = sorted(failing - kept.keys())
        if missing and new is None:
            shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
            raise UsageError(Fault("", f"{len(missing)} new entries need a reason and a link: {shown}"))
        added = {name: structs.replace(new, requirement=name) for name in missing} if new else {}
        return KnownFailures({**kept, **added})

    def to_yaml(self) -> str:
        """Return the text of the file."""
        entries = [
            {key: value for key, value in structs.asdict(entry).items() if value is not None}
            for entry in self.entries.values()
        ]
        return yaml.safe_dump(entries, sort_keys=False, width=120, allow_unicode=True)

    def covers(self, requirements: Iterable[str]) -> bool:
        """Tell whether a case of these requirements may fail."""
        return any(name in self.entries for name in requirements)

    def reason(self, requirements: Iterable[str]) -> str:
        """Return why a case of these requirements may fail."""
        entries = [self.entries[name] for name in requirements if name in self.entries]
        return "; ".join(f"{entry.reason} ({entry.link})" for entry in entries)


def _faults(entry: KnownFailure, place: str, *, may_have_expired: bool) -> list[Fault]:
    faults: list[Fault] = []
    name = entry.requirement
    if name not in REQUIREMENTS:
        faults.append(Fault(f"{place}.requirement", f"{name!r} is not known", suggestion=closest(name, REQUIREMENTS)))
    for key in ("reason", "link"):
        if not getattr(entry, key).strip():
            faults.append(Fault(f"{place}.{key}", "is empty", "a text"))
    if entry.expires is not None:
        check_expiry(entry.expires, f"{place}.expires", faults, may_have_expired=may_have_expired)
    return faults


def check_expiry(text: str, place: str, faults: list[Fault], *, may_have_expired: bool = False) -> None:
    """Record a fault for what is no date, and for a date that has passed."""
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        faults.append(Fault(place, f"{text!r} is no date", "YYYY-MM-DD"))
        return
    if not may_have_expired and day < datetime.datetime.now(datetime.timezone.utc).date():
        faults.append(Fault(place, f"expired on {text}; meet the requirement or renew the entry"))
