"""Options that commands share: names, machines, levels and versions of Kubernetes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from ..errors import Fault, UsageError, closest_to_pattern, did_you_mean, faults_within
from ..sources.patches import patch_note
from ..sources.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from .terminal import ASSUMED, notice

if TYPE_CHECKING:
    from ..kube import KubeletConfiguration
    from ..machine import Machine

F = TypeVar("F", bound=Callable[..., Any])
FILE = click.Path(path_type=Path)
INPUT = click.Path(path_type=Path, allow_dash=True)
DIRECTORY = click.Path(path_type=Path, file_okay=False)
COMMAND_LINE = click.argument("arguments", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
EXISTING_DIRECTORY = click.Path(path_type=Path, exists=True, file_okay=False)


def host_root(text: str, kind: click.Path = FILE, metavar: str = "DUMP") -> Callable[[Any], Any]:
    """Return the option ``--from-node``, the host to read: by default this computer. ``text`` is its help."""
    return click.option("--from-node", "root", default="/", show_default=True, type=kind, metavar=metavar, help=text)


class _Version(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 only
    """Reads a Kubernetes version and prints known facts of its patch; raises ``UsageError`` for unknown ones."""

    name = "version"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> KubernetesVersion:
        with faults_within(param.opts[0] if param else ""):
            known = KubernetesVersion.supported(value)
        if note := patch_note(known):
            click.echo(f"Kubernetes {known}: {note}", err=True)
        return known


version = _Version()


class NameChoice(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2 only
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
        from ..machine import catalogue_names  # commands without machines do not pay for them

        named = [CompletionItem(name) for name in catalogue_names() if name.startswith(incomplete)]
        return named or [CompletionItem(incomplete, type="file")]


def machine_of(name: str) -> "Machine":
    """Return a machine of the catalogue or of a file, and print what was not seen of it; raises ``UsageError``."""
    from ..machine import catalogue  # commands without machines do not pay for it

    return catalogue.machine_of(name, notice)


def words_of(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a ``COMMAND_LINE``, without a first ``--``; raises ``UsageError`` of click without any."""
    words = arguments[1:] if arguments[0] == "--" else arguments
    if not words:
        raise click.UsageError("Missing argument 'COMMAND...'.")
    return words


def chosen(wanted: Iterable[str], names: Iterable[str], what: str) -> list[str]:
    """Return the names that match one of the ``wanted`` patterns, all where there is none; raises ``UsageError``."""
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


unsupported_option = click.option(
    "--unsupported",
    default="",
    metavar="REGEX",
    help="words with which it gives up on a machine that it does not support; a crash never counts",
)


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Import what an extra brings along; raises ``UsageError`` with how to install it where it is missing."""
    try:
        yield
    except ImportError as error:
        accepted = f"pip install 'numa-conformance[{extra}]'"
        raise UsageError(Fault("", f"{error.name} is not installed", accepted)) from error


def assumed_version() -> KubernetesVersion:
    """Return the version that counts where none is named, of which the program says at its end that it was assumed."""
    context = click.get_current_context()
    context.meta[ASSUMED] = not context.params.get("as_json")
    return DEFAULT


def level_option(text: str) -> Callable[[F], F]:
    """Return the option ``--level``, how the reference answers. ``text`` is its help."""
    levels = NameChoice(["exact", "documented"])
    return click.option("--level", type=levels, default="exact", show_default=True, help=text)


LEVEL = level_option("With the quirks of Kubernetes, or by the documentation.")
VERSION = click.option(
    "--kubernetes-version",
    type=version,
    default=None,
    show_default=f"what the node says, else {DEFAULT}",
    help=f"The version whose behaviour is followed: {SUPPORTED_RANGE}.",
)

CONFIG = click.option(
    "--config",
    "config_file",
    type=FILE,
    help="The KubeletConfiguration, YAML or JSON (default: the kubelet's own defaults).",
)


def seconds(text: str) -> float:
    """Read a number of seconds; raises ``ValueError``, or click's error for none, fewer and no number."""
    if not 0 < (number := float(text)) < inf:
        raise click.BadParameter(f"{text} is not more than 0 seconds, or has no end")
    return number


MACHINE = click.option("--machine", "machine_name", type=MachineName(), help="A name of the catalogue, or a file.")
STATE_AS_IT_IS = click.option(
    "--state-as-it-is",
    "as_it_is",
    is_flag=True,
    help="Read state files whose checksums do not fit, as where somebody blotted out names; no kubelet starts on them.",
)
CLUSTER = click.option("--name", default=None, help="Which cluster, where several are up.")
WITHIN = click.option(
    "--within", default=10.0, show_default=True, type=click.FloatRange(0), help="Seconds that an object has to follow."
)
TIMEOUT = click.option("--timeout", default=60.0, show_default=True, type=seconds, help="Seconds a call may take.")


def read_configuration(path: Path | None) -> "KubeletConfiguration":
    """Read a KubeletConfiguration, and print what of it is not read; raises ``UsageError``."""
    from ..reference.simulation import reading  # commands without a kubelet do not pay for it

    return reading.read_configuration(path, notice)
