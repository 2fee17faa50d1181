"""The command group, its exit codes, and the one place where errors become text."""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

import click

from .. import __version__
from ..errors import Fault, NumaConformanceError, StartError, UsageError, closest, did_you_mean
from ..files import text_of
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


_COMMANDS = {
    "machines": "list the machines of the catalogue, or show one",
    "on": "run any program on a machine of the catalogue",
    "kubelet-target": "serve an unmodified kubelet as a target",
    "device-plugin-target": "serve an unmodified device plugin as a target",
    "dra-target": "serve an unmodified DRA driver as a target",
    "nri-target": "serve an unmodified NRI plugin as a target",
    "check-node": "say where a node at work is not as documented",
    "collect-node": "write a dump of a node for check-node, without secrets",
    "capture": "write this computer, or a dump of one, as a machine",
    "simulate": "ask what a node would do with pods",
    "explain": "say why a kubelet refused pods, what would admit them, and what an upgrade changes",
    "serve-pod-resources": "serve PodResources of a node that is not there",
    "lint": "say what is wrong or unwise in a KubeletConfiguration",
    "score": "show how kube-scheduler scores nodes for a pod",
    "cluster": "fill a cluster with pods, node by node refusals included",
    "up": "bring up a cluster of real parts on machines that are not there",
    "status": "tell of the clusters that are up",
    "on-node": "run any program where a node's kubelet lives",
    "check-exporter": "judge what an exporter of NodeResourceTopology says of nodes",
    "check-scheduler": "count what a scheduler binds that kubelets refuse, and what it holds back",
    "down": "end a cluster of real parts",
    "replay": "replay recorded decisions against the reference or a target",
    "diff": "show where two implementations differ, by the smallest histories",
    "which-kubelet": "tell as which Kubernetes minor a target decides",
    "bisect": "tell which version changed what becomes of pods, and by what",
    "record": "write a target's answers to the questions of recorded decisions",
    "judge": "judge stored conversations by the requirements",
    "smoke": "tell whether a target speaks the protocol",
    "schema": "print the JSON Schema of messages, machines, reports or histories",
    "examples": "write the files that the examples of --help name",
    "init": "write a minimal target and a CI workflow to start from",
    "requirements": "list what the suite tests",
    "report": "compare and join reports of the suite",
    "quirks": "list where the kubelet departs from its documentation",
}


_PAGES = {
    "api": "requirements --api",
    "check-a-node": "check-node",
    "cluster-of-real-parts": "up",
    "compare-two": "diff",
    "dra-drivers": "dra-target",
    "exporters-and-schedulers": "check-exporter",
    "fake-machines": "on",
    "histories": "judge",
    "how-they-decide": "simulate --explain",
    "kubernetes-versions": "bisect",
    "machine-by-hand": "schema machine-compact",
    "machine-from-text": "capture --from",
    "node-from-text": "simulate --from-node",
    "my-pod-was-refused": "explain",
    "pod-resources": "serve-pod-resources",
    "protocol": "schema protocol",
    "requirement-changes": "requirements --changes",
    "rules": "requirements --rules",
    "scheduling": "score",
    "statements": "requirements --statements",
    "validate-a-kubelet": "kubelet-target",
    "versions": "requirements --versions",
    "what-if": "simulate --compare",
    "who-conforms": "report matrix",
    "write-a-target": "init",
}
"""Pages of the documentation, and the commands that they are about: who has read one may type its name."""


class _Commands(click.Group):
    """Loads a command's module when it is asked for, so that one command does not pay for another's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command = import_module(f".{name.replace('-', '_')}", __package__).command
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
        for fault in error.faults:
            say(f"error: {_placed(fault)}", err=True)
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
