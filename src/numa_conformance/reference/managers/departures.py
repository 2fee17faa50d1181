"""``Documented``: an algorithm as its page has it; what the kubelet does otherwise are subclasses of single steps."""

from functools import cache
from typing import Any, ClassVar, TypeVar

from ...sources.changes import Changes
from ...sources.quirks.quirk import QuirkFlags

Algorithm = TypeVar("Algorithm", bound="Documented")


class Documented:
    """A documented algorithm of the newest version.

    A subclass that names a ``quirk`` overrides the steps in which the kubelet departs from the page. One that names a
    change (``before``) does what versions without the change do. ``of`` joins those in force, once for a node.
    """

    __slots__ = ()
    quirks: ClassVar[Any] = None
    changes: ClassVar[Changes | None] = None
    _departures: ClassVar[tuple[tuple[str, bool, type], ...]] = ()

    def __init_subclass__(cls, *, quirk: str | None = None, before: str | None = None) -> None:
        """Enter a departure with the algorithm that it departs from."""
        super().__init_subclass__()
        if quirk or before:
            cls.__base__._departures += ((quirk or before, bool(quirk), cls),)  # type: ignore[union-attr]

    @classmethod
    def of(cls: type[Algorithm], quirks: QuirkFlags | None, changes: Changes | None = None) -> type[Algorithm]:
        """Return it with the departures of these quirks, and of versions without all ``changes``; None: the newest."""
        documented: Any = cls
        return _joined(documented, quirks, changes)


@cache
def _joined(documented: type[Any], quirks: QuirkFlags | None, changes: Changes | None) -> type[Any]:
    in_force = [
        departure
        for flag, is_quirk, departure in documented._departures
        if (quirks and getattr(quirks, flag) if is_quirk else changes and not getattr(changes, flag))
    ]
    facts = {"__slots__": (), "__module__": documented.__module__, "quirks": quirks, "changes": changes}
    return type(documented.__name__, (*reversed(in_force), documented), facts)
