"""The options of the plugin, from the table ``options.txt``."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import pytest

from ..errors import closest
from ..files import parts_of, text_of

Kind = Literal["text", "list", "flag", "form"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option: ``--numa-<name>`` on the command line, ``numa_<name>`` in an ini file."""

    name: str
    help: str
    kind: Kind
    metavar: str | None
    choices: tuple[str, ...]

    @property
    def dest(self) -> str:
        """The key in pytest's configuration, and the ini name."""
        return f"numa_{self.name.replace('-', '_')}"

    @property
    def default(self) -> str:
        """The first of the choices, where there are some; a form has none until it is named."""
        return self.choices[0] if self.choices and self.kind == "text" else ""


def _read(heading: str, lines: list[str]) -> Option:
    """Read ``NAME``, ``NAME METAVAR`` or ``NAME CHOICE|CHOICE``, with the kind behind the name unless it is text."""
    name, *words = heading.split(" ")
    kind: Kind = next((kind for kind in get_args(Kind) if kind in words), "text")
    value = next((word for word in words if word != kind), None)
    choices = tuple(value.split("|")) if value and "|" in value else ()
    return Option(name, " ".join(lines), kind, None if choices else value, choices)


OPTIONS = tuple(_read(*part) for part in parts_of(text_of(__package__, "options.txt")))
NAMING = ("target", "target_command", "kubelet", "device_plugin", "dra_driver", "nri_plugin")
"""The options that name the target. One of them may stand, or a kubelet and an NRI plugin beside it."""


def add_options(parser: pytest.Parser) -> None:
    """Declare the flag, the options and their ini twins."""
    group = parser.getgroup("numa-conformance", "conformance of NUMA-aware allocators")
    group.addoption(
        "--numa-conformance",
        action="store_true",
        dest="numa_conformance",
        default=False,
        help="run the conformance suite against the target, or against the bundled reference",
    )
    for option in OPTIONS:
        shown = f"{option.help} (default: {option.default})" if option.default else option.help
        more, ini = _forms(option)
        group.addoption(f"--numa-{option.name}", dest=option.dest, default=None, help=shown, **more)
        parser.addini(option.dest, shown, **ini)


def tell_nearest(parser: pytest.Parser, args: list[str]) -> None:
    """Let pytest's message about an unknown option name the nearest one of these."""
    known = ["conformance", *(option.name for option in OPTIONS)]
    for name in (word[len("--numa-") :].partition("=")[0] for word in args if word.startswith("--numa-")):
        if name not in known and (near := closest(name, known)):
            parser.extra_info["did you mean"] = f"--numa-{near}"


def _forms(option: Option) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how an option is taken on the command line, and in an ini file."""
    match option.kind:
        case "flag":
            return {"action": "store_true"}, {"type": "bool", "default": False}
        case "form":
            return {"nargs": "?", "const": option.choices[0], "choices": option.choices}, {"default": ""}
        case "list":
            return {"action": "append", "metavar": option.metavar}, {"type": "linelist", "default": []}
        case "text":
            return {"metavar": option.metavar, "choices": option.choices or None}, {"default": option.default}


def setting(config: pytest.Config, name: str) -> str:
    """Return an option's value from the command line, else from the ini file, else its default."""
    value = config.getoption(name)
    return str(value if value is not None else config.getini(name))


def settings_list(config: pytest.Config, name: str) -> list[str]:
    """Return a repeatable option's values."""
    values = config.getoption(name)
    return list(values if values is not None else config.getini(name))


_ONLY_SHOWS = ("collectonly", "help", "version", "markers", "showfixtures", "show_fixtures_per_test")


def asks_nothing(config: pytest.Config) -> bool:
    """Tell whether an option of pytest is on with which no test is run."""
    return any(getattr(config.option, name, False) for name in _ONLY_SHOWS)


def is_set(config: pytest.Config, name: str) -> bool:
    """Tell whether a flag stands on the command line or in the ini file."""
    return bool(config.getoption(name) or config.getini(name))
