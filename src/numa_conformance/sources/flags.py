"""Classes whose flags are what a text has records of: each flag is named once, there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """Base of what ``with_flags`` gives its flags; one that is not set is False."""

    if TYPE_CHECKING:  # what flags there are stands in the texts alone

        def __init__(self, **flags: bool) -> None: ...

        def __getattr__(self, flag: str) -> bool: ...


F = TypeVar("F", bound=Flags)


def flag_of(id: str) -> str:
    """Return the name of a flag: the id of its record with underscores for dashes."""
    return id.replace("-", "_")


def with_flags(ids: Iterable[str]) -> Callable[[type[F]], type[F]]:
    """Give a class a flag for each record."""

    def make(cls: type[F]) -> type[F]:
        cls.__annotations__ = {flag_of(id): bool for id in ids}
        for name in cls.__annotations__:
            setattr(cls, name, False)
        return dataclass(frozen=True, slots=True, kw_only=True)(cls)

    return make
