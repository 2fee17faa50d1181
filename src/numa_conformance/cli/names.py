"""How commands read names: one of a few, or some of many; an unknown one gets the near one."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import click
from click.shell_completion import CompletionItem

from ..errors import Fault, UsageError, closest_to_pattern, did_you_mean
from ..machine import catalogue_names


class Named(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2 only
    """One of a few names."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; fails with what is accepted and the near one."""
        names = [str(name) for name in self.choices]
        if value in names:
            return value
        accepted = f"accepted: {', '.join(names)}"
        return self.fail(f"{value!r} is not accepted ({accepted}){did_you_mean(value, names)}", param, ctx)


class MachineName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2 only
    """A machine of the catalogue, or a file; a shell completes both."""

    name = "machine"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the machines whose names begin so; files where none does."""
        named = [CompletionItem(name) for name in catalogue_names() if name.startswith(incomplete)]
        return named or [CompletionItem(incomplete, type="file")]


def chosen(wanted: Iterable[str], names: Iterable[str], what: str) -> list[str]:
    """Return the names that one of the ``wanted`` matches (``*`` stands for any text), all where none is wanted.

    Raises ``UsageError`` for what matches none; ``what`` says what the names are of.
    """
    known = list(dict.fromkeys(names))
    wanted = list(wanted)
    faults = [
        Fault("", f"there is no {what} {pattern!r}", suggestion=closest_to_pattern(pattern, known))
        for pattern in wanted
        if not any(fnmatchcase(name, pattern) for name in known)
    ]
    if faults:
        raise UsageError(faults)
    return [name for name in known if not wanted or any(fnmatchcase(name, pattern) for pattern in wanted)]
