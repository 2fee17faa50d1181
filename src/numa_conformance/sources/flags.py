"""Classes whose flags are what a text has records of: each flag is named once, there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """Base of what ``with_flags`` gives its flags; one that is not set is False. ``facts``: what is known of each."""

    facts: ClassVar[Mapping[str, Any]]

    if TYPE_CHECKING:  # what flags there are stands in the texts alone

        def __init__(self, **flags: bool) -> None: ...

        def __getattr__(self, flag: str) -> bool: ...

    def showing(self) -> tuple[str, ...]:
        """Return the ids of the flags that are on."""
        return tuple(id for id in self.facts if getattr(self, flag_of(id)))


F = TypeVar("F", bound=Flags)


def flag_of(id: str) -> str:
    """Return the name of a flag: the id of its record with underscores for dashes."""
    return id.replace("-", "_")


def with_flags(facts: Mapping[str, Any]) -> Callable[[type[F]], type[F]]:
    """Give a class a flag for each record."""

    def make(cls: type[F]) -> type[F]:
        cls.facts = facts
        cls.__annotations__ = {flag_of(id): bool for id in facts}
        for name in cls.__annotations__:
            setattr(cls, name, False)
        return dataclass(frozen=True, slots=True, kw_only=True)(cls)

    return make
