"""The machines of a run: the named ones, or all except some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..errors import Fault, UsageError
from ..machine import Machine, load_machine


@dataclass(frozen=True, slots=True)
class MachineChoice:
    """The machines that are ``named``, by the words that name them, and the names of those ``left_out``.

    Where none is named, all are chosen but those left out.
    """

    named: Mapping[str, Machine] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, words: Iterable[str], option: str = "--numa-machine") -> MachineChoice:
        """Read names and files, each with a ``-`` before it where it is left out; raises ``UsageError``."""
        texts = list(words)
        without = frozenset(load_machine(word[1:]).name for word in texts if _leaves_out(word))
        wanted = {word: load_machine(word) for word in texts if not _leaves_out(word)}
        named = {word: machine for word, machine in wanted.items() if machine.name not in without}
        if wanted and not named:
            raise UsageError(Fault(option, f"{', '.join(wanted)}: named, and left out too"))
        return cls(named, without)

    @property
    def is_whole(self) -> bool:
        """Whether every machine is chosen."""
        return not (self.named or self.left_out)

    @property
    def machines(self) -> tuple[Machine, ...] | None:
        """The machines that are named; None where none is."""
        return tuple(self.named.values()) or None

    def has(self, machine: Machine) -> bool:
        """Tell whether a machine is chosen, as it is or changed: renumbered, with more devices, a part of it."""
        if any(_is_made_of(machine.name, name) for name in self.left_out):
            return False
        return not self.named or any(_is_made_of(machine.name, each.name) for each in self.named.values())


def _leaves_out(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _is_made_of(name: str, origin: str) -> bool:
    return name == origin or name.startswith((f"{origin},", f"{origin} with ")) or name.endswith(f" of {origin}")
