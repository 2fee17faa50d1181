"""The table of commands (``commands.txt``), their group and exit codes, and the one place where errors become text."""

import os
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from io import StringIO
from typing import Any, NamedTuple

import click

from .. import __version__
from ..errors import NumaConformanceError, StartError, UsageError, closest, did_you_mean
from ..files import parts_of, text_of
from ..printable import printable_streams
from .terminal import BUG, TARGET_FAULT, USAGE, say, tell_assumption

_NODE = "--machine amd-milan-7763-nps4 --config examples/node/kubelet.yaml"

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    name.removeprefix("numa-conformance"): tuple(line.strip().replace("{node}", _NODE) for line in lines)
    for name, *lines in (
        part.split("\n  ") for part in re.split(r"\n(?! )", text_of(__package__, "help_examples.txt").rstrip())
    )
}
"""By command, the empty one for the program itself: what is typed after the program's name."""

WITH_FILES = "Examples (numa-conformance examples writes their files):"


class _Command(NamedTuple):
    file: str
    text: str
    heading: str


_PARTS = dict(parts_of(text_of(__package__, "commands.txt")))
OLD_NAMES, PAGES = (dict(line.split(": ") for line in _PARTS.pop(heading)) for heading in ("old names", "pages"))
"""By a name, or an option, of before its name today; and by page of the documentation the command that it is about."""

COMMANDS: Mapping[str, _Command] = {
    name: _Command(file or name.split()[-1].replace("-", "_"), text, heading)
    for heading, lines in _PARTS.items()
    for line in lines
    for name, file, text in re.findall(r"^(.+?)(?: \((\w+)\))?: (.+)", line)
}
"""By its words the file of each command, what it does, and the heading that help shows it under."""


def with_examples(command: click.Command, name: str = "") -> click.Command:
    """Let the help of a command end with its examples, and that of each below a group."""
    typed = (f"  numa-conformance {each}" for each in EXAMPLES[name])
    heading = WITH_FILES if any("examples/" in each for each in EXAMPLES[name]) else "Examples:"
    command.epilog = "\b\n" + "\n".join([heading, *typed])
    if name and isinstance(command, click.Group):
        for below, each in command.commands.items():
            with_examples(each, f"{name} {below}")
    return command


class _Commands(click.Group):
    """Loads a command's module when it is asked for, so that one command does not pay for another's imports.

    ``path``: the words before the names of its commands. Without a name a group lists, where it has such a command.
    """

    def __init__(self, *args: Any, path: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self._path = path
        self._below = {
            name.removeprefix(path).strip(): command
            for name, command in COMMANDS.items()
            if name.rpartition(" ")[0] == path
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._below)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self._below:
            return None
        full = f"{self._path} {name}".strip()
        if any(each.startswith(f"{full} ") for each in COMMANDS):
            text = self._below[name].text
            return with_examples(_Commands(name, path=full, help=f"{text[0].upper()}{text[1:]}."), full)
        module = import_module(f".{self._below[name].file}", __package__)
        defined = (each for each in vars(module).values() if isinstance(each, click.Command))
        return with_examples(next(each for each in defined if each.name == name), full)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self._below))
        for heading in dict.fromkeys(command.heading for command in self._below.values()):
            if heading == "not shown by --help" and not self._path:
                continue
            rows = [(name.ljust(width), each.text) for name, each in self._below.items() if each.heading == heading]
            with formatter.section("Commands" if self._path else heading):
                formatter.write_dl(rows)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        lists = "list" in self._below and (not args or args[0] == "--json")
        return super().parse_args(ctx, ["list", *args] if lists else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not self._path:
            args = _in_names_of_today(args, silent=ctx.resilient_parsing)
        if args[0] not in self._below and not args[0].startswith("-"):
            raise click.UsageError(self._no_such_command(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def _no_such_command(self, name: str) -> str:
        pages = {} if self._path else PAGES
        if (near := closest(name, (*self._below, *pages))) in pages:
            return f"no such command {name!r}; docs/{near}.md is about {pages[near]!r}"
        accepted = f"accepted: {', '.join(self._below)}"
        return f"no such command {name!r} ({accepted}){did_you_mean(name, self._below)}"


def _in_names_of_today(args: list[str], *, silent: bool) -> list[str]:
    """Return a command line in the names of today, and print a hint for each that is old."""
    for old, new in OLD_NAMES.items():
        (name, option), (now, option_now) = (each.partition(" --")[::2] for each in (old, new))
        count, heads = len(name.split()), [word.partition("=")[0] for word in args]
        if heads[:count] != name.split() or (option and f"--{option}" not in heads):
            continue
        if option:
            place = heads.index(f"--{option}")
            args = [*args[:place], f"--{option_now}{args[place].removeprefix(f'--{option}')}", *args[place + 1 :]]
        args = [*now.split(), *args[count:]]
        if not silent:
            click.echo(f"`{old}` is `{new}` now", err=True)
    return args


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="numa-conformance")
def app() -> None:
    """Ask where Kubernetes places pods on NUMA nodes, and test whatever places them.

    Exit codes: 0 done, 1 the answer is a difference or a failure, 2 wrong input or usage, 3 the target under test could
    not be asked, 70 a bug of this program.
    """


@app.result_callback()
def _say_what_was_assumed(code: object) -> object:
    tell_assumption()
    return code


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code."""
    sys.stdout, sys.stderr = (stream or StringIO() for stream in (sys.stdout, sys.stderr))  # either may be closed
    with printable_streams():
        with_examples(app)
        code = _guarded(lambda: app.main(args=argv, prog_name="numa-conformance", standalone_mode=False))
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # else Python complains of it at its end, with a code of its own
        _let_go_of_stdout()
    sys.exit(code)


_CUT_OFF = 128 + signal.SIGPIPE  # as of a program that the signal ends
_MOST_FAULTS = 100
"""Faults of one input that are told: each is looked for in its file."""


def _let_go_of_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _guarded(run: Callable[[], object]) -> int:
    try:
        code = run()
    except click.ClickException as error:
        error.show()
        return USAGE
    except click.Abort:
        return 130
    except SystemExit as error:  # click's answer to a shell that completes a word; not 0: to a reader that went away
        return _CUT_OFF if error.code else 0
    except BrokenPipeError:
        _let_go_of_stdout()
        return _CUT_OFF
    except UsageError as error:
        from ..forms import with_position  # what is right does not pay for it

        for fault in error.faults[:_MOST_FAULTS]:
            say(f"error: {with_position(fault)}", err=True)
        if more := len(error.faults[_MOST_FAULTS:]):
            say(f"error: and {more} more faults", err=True)
        return USAGE
    except StartError as error:
        say(f"error: the node does not come up ({error.stage}): {error.message}", err=True)
        for hint in error.hints:
            say(f"  {hint}", err=True)
        return USAGE
    except NumaConformanceError as error:
        say(*f"error: {error}".split("\n"), err=True)
        return TARGET_FAULT
    except (OSError, RecursionError, MemoryError) as error:
        of_file = isinstance(error, OSError) and error.filename and f"{error.filename}: {error.strerror}"
        say(f"error: {of_file or str(error) or type(error).__name__}", err=True)
        return USAGE
    except Exception as error:
        if os.environ.get("NUMA_CONFORMANCE_DEBUG"):
            raise
        report = "please report it; NUMA_CONFORMANCE_DEBUG=1 prints where it happened"
        say(f"bug in numa-conformance: {type(error).__name__}: {error}", report, err=True)
        return BUG
    return code if isinstance(code, int) else 0
