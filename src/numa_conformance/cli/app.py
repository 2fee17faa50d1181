"""The command group, its exit codes, and the one place where errors become text."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

import click

from .. import __version__
from ..errors import Fault, NumaConformanceError, StartError, UsageError, closest, did_you_mean
from ..files import parts_of, text_of
from ..printable import printable_streams
from .terminal import BUG, TARGET_FAULT, USAGE, say

_NODE = "--machine amd-milan-7763-nps4 --config examples/node/kubelet.yaml"

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    name.removeprefix("numa-conformance"): tuple(line.strip().replace("{node}", _NODE) for line in lines)
    for name, *lines in (
        part.split("\n  ") for part in re.split(r"\n(?! )", text_of(__package__, "help_examples.txt").rstrip())
    )
}
"""By command, the empty one for the program itself: what is typed after the program's name."""


WITH_FILES = "Examples (numa-conformance examples writes their files):"


def with_examples(command: click.Command, name: str = "") -> click.Command:
    """Let the help of a command end with its examples, and that of each below a group."""
    typed = (f"  numa-conformance {each}" for each in EXAMPLES[name])
    heading = WITH_FILES if any("examples/" in each for each in EXAMPLES[name]) else "Examples:"
    command.epilog = "\b\n" + "\n".join([heading, *typed])
    if name and isinstance(command, click.Group):
        for below, each in command.commands.items():
            with_examples(each, f"{name} {below}")
    return command


_COMMANDS, _PAGES = (
    {name: text for name, _, text in (line.partition(": ") for line in lines)}
    for _, lines in parts_of(text_of(__package__, "commands.txt"))
)
"""Commands, with what each does; and pages of the documentation, with the commands that they are about."""


class _Commands(click.Group):
    """Loads a command's module when it is asked for, so that one command does not pay for another's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        file = "doors" if name.endswith("-target") else "status" if name == "down" else name.replace("-", "_")
        module = import_module(f".{file}", __package__)
        command = getattr(module, "COMMANDS", {}).get(name) or module.command
        assert isinstance(command, click.Command)
        return with_examples(command, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in _COMMANDS:
            raise click.UsageError(_no_such_command(name), ctx)
        return super().resolve_command(ctx, args)


def _no_such_command(name: str) -> str:
    near = closest(name, (*_COMMANDS, *_PAGES))
    if near in _PAGES:
        return f"no such command {name!r}; docs/{near}.md is about {_PAGES[near]!r}"
    accepted = f"accepted: {', '.join(_COMMANDS)}"
    return f"no such command {name!r} ({accepted}){did_you_mean(name, _COMMANDS)}"


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="numa-conformance")
def app() -> None:
    """Ask the reference, capture machines, replay decisions.

    Exit codes: 0 done, 1 the answer is a difference or a failure, 2 wrong input or usage, 3 the target under test could
    not be asked, 70 a bug of this program.
    """


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code."""
    with printable_streams():
        with_examples(app)
        code = _guarded(lambda: app.main(args=argv, prog_name="numa-conformance", standalone_mode=False))
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # else Python complains of it at its end, with a code of its own
        _let_go_of_stdout()
    sys.exit(code)


_MOST_FAULTS = 100
"""Faults of one input that are told: each is looked for in its file."""


def _placed(fault: Fault) -> Fault:
    from ..forms import with_position  # what is right does not pay for it

    return with_position(fault)


def _let_go_of_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _guarded(run: Callable[[], object]) -> int:
    try:
        code = run()
    except click.ClickException as error:
        error.show()
        return USAGE
    except SystemExit:  # click's answer to a reader that went away
        return 0
    except click.Abort:
        return 130
    except BrokenPipeError:
        _let_go_of_stdout()
        return 0
    except UsageError as error:
        for fault in error.faults[:_MOST_FAULTS]:
            say(f"error: {_placed(fault)}", err=True)
        if more := len(error.faults[_MOST_FAULTS:]):
            say(f"error: and {more} more faults", err=True)
        return USAGE
    except StartError as error:
        say(f"error: the node does not come up ({error.stage}): {error.message}", err=True)
        for hint in error.hints:
            say(f"  {hint}", err=True)
        return USAGE
    except NumaConformanceError as error:
        say(f"error: {error}", err=True)
        return TARGET_FAULT
    except (OSError, RecursionError, MemoryError) as error:
        say(f"error: {error}", err=True)
        return USAGE
    except Exception as error:
        if os.environ.get("NUMA_CONFORMANCE_DEBUG"):
            raise
        click.echo(
            f"bug in numa-conformance: {type(error).__name__}: {error}\n"
            "please report it; NUMA_CONFORMANCE_DEBUG=1 prints where it happened",
            err=True,
        )
        return BUG
    return code if isinstance(code, int) else 0
