"""The file of known failures: what may fail without failing the run, each with a reason and a link."""

import datetime
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
import yaml
from msgspec import Meta, structs

from ..documents import read_documents
from ..errors import Fault, UsageError, closest
from ..forms import read_form
from ..judging.chapter import OF_TARGETS

NOT_SELECTED = "not selected"
NO_VERDICT = "no verdict was reached"


class LeftOut(NamedTuple):
    """A case that is not asked: its id, its requirements, and why, in a few words."""

    id: str
    requirements: list[str]
    why: str

    @property
    def by_chance(self) -> bool:
        """Whether another run with the same target, level and profile asks it."""
        return self.why in (NOT_SELECTED, NO_VERDICT)


_Text = Annotated[str, Meta(min_length=1)]


class KnownFailure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One entry: a requirement or a case, why it is not met, where that is followed up, and until when it may be so.

    Of a requirement ``cases`` are those that may fail, and ``machines`` those on which conversations may break it:
    another one is a new failure. Without them, and with ``machines: all``, all may.
    """

    requirement: _Text | None = None
    case: _Text | None = None
    cases: list[_Text] | None = None
    machines: list[_Text] | Literal["all"] | None = None
    reason: _Text
    link: _Text
    expires: str | None = None

    @property
    def name(self) -> str:
        """What the entry is about: the id of a requirement or of a case."""
        return self.requirement or self.case or ""

    @property
    def listed(self) -> tuple[str, ...] | None:
        """The cases it names one by one; None where it is about all cases of its requirement."""
        return (self.case,) if self.case else None if self.cases is None else tuple(self.cases)

    def concerns(self, case: str, requirements: Collection[str]) -> bool:
        """Tell whether it is about a case of these requirements."""
        if self.requirement and self.requirement not in requirements:
            return False
        return self.listed is None or case in self.listed

    @property
    def named_machines(self) -> tuple[str, ...]:
        """The machines it names one by one."""
        return () if self.machines in (None, "all") else tuple(self.machines or ())

    def allows(self, machines: Iterable[str]) -> bool:
        """Tell whether conversations on these machines may fail."""
        return self.machines in (None, "all") or set(machines) <= set(self.machines or ())


@dataclass(frozen=True)
class KnownFailures:
    """All entries of a file, by what they are about."""

    entries: Mapping[str, KnownFailure]

    @classmethod
    def read(cls, path: str, *, may_have_expired: bool = False) -> "KnownFailures":
        """Read a YAML list of entries; "" is none. Raises ``UsageError`` with every fault, expired entries included."""
        if not path:
            return cls({})
        documents = read_documents(Path(path))
        items = documents[0].value if documents else []
        if not isinstance(items, list):
            raise UsageError(Fault(path, "is no list", "a list of requirement or case, reason, link, expires"))
        faults: list[Fault] = []
        entries: dict[str, KnownFailure] = {}
        for index, item in enumerate(items):
            faults += _empty(item, f"{path}: [{index}]")
            try:
                entry = read_form(KnownFailure, item, path, f"[{index}]")
            except UsageError as error:
                faults.extend(error.faults)
            else:
                faults += _faults(entry, f"{path}: [{index}]", may_have_expired=may_have_expired)
                if entry.name in entries:
                    faults.append(Fault(f"{path}: [{index}]", f"{entry.name!r} has an entry already"))
                entries[entry.name] = entry
        if faults:
            raise UsageError(faults)
        return cls(entries)

    def to_yaml(self) -> str:
        """Return the text of the file."""
        entries = [
            {key: value for key, value in structs.asdict(entry).items() if value is not None}
            for entry in self.entries.values()
        ]
        return yaml.safe_dump(entries, sort_keys=False, width=120, allow_unicode=True)

    def about(self, case: str, requirements: Collection[str]) -> list[KnownFailure]:
        """Return the entries about a case of these requirements."""
        return [entry for entry in self.entries.values() if entry.concerns(case, requirements)]

    def covers(self, case: str, requirements: Collection[str], machines: Iterable[str] = ()) -> bool:
        """Tell whether a case of these requirements may fail, and its conversations on these machines."""
        shown = set(machines)
        return any(entry.allows(shown) for entry in self.about(case, requirements))

    def names(self, case: str, requirements: Collection[str]) -> bool:
        """Tell whether an entry says of just this case that it fails."""
        return any(entry.listed is not None for entry in self.about(case, requirements))

    def machines(self, case: str, requirements: Collection[str]) -> frozenset[str]:
        """Return the machines on which conversations of a case are known to fail, as far as entries name them."""
        return frozenset(name for entry in self.about(case, requirements) for name in entry.named_machines)

    def reason(self, case: str, requirements: Collection[str]) -> str:
        """Return why a case of these requirements may fail."""
        return "; ".join(f"{entry.reason} ({entry.link})" for entry in self.about(case, requirements))


def _empty(item: object, place: str) -> list[Fault]:
    """Refuse a list of nothing, which would stand for everything."""
    fields: Mapping[str, object] = item if isinstance(item, dict) else {}
    return [
        Fault(f"{place}.{key}", "is empty", "one or more, or leave it out")
        for key in ("cases", "machines")
        if key in fields and not fields[key]
    ]


def _faults(entry: KnownFailure, place: str, *, may_have_expired: bool) -> list[Fault]:
    faults: list[Fault] = []
    name = entry.requirement
    if (name is None) == (entry.case is None):
        faults.append(Fault(place, "names no one thing", "either a requirement or a case"))
    if name is not None and name not in OF_TARGETS:
        faults.append(Fault(f"{place}.requirement", f"{name!r} is not known", suggestion=closest(name, OF_TARGETS)))
    if entry.case is not None and entry.cases is not None:
        faults.append(Fault(f"{place}.cases", "goes with a requirement only"))
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
