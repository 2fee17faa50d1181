"""The command group, its exit codes, and the one place where errors become text."""

import os
import sys
from collections.abc import Callable, Sequence

import click

from ..errors import Fault, NumaConformanceError, StartError, UsageError
from ..printable import printable_streams
from .commands import app, with_examples
from .terminal import BUG, TARGET_FAULT, USAGE, say


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
