"""The options of the plugin, from one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest


@dataclass(frozen=True, slots=True)
class Option:
    """One option: ``--numa-<name>`` on the command line, ``numa_<name>`` in an ini file."""

    name: str
    help: str
    kind: Literal["text", "list", "flag", "form"] = "text"
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    default: str = ""

    @property
    def dest(self) -> str:
        """The key in pytest's configuration, and the ini name."""
        return f"numa_{self.name.replace('-', '_')}"


OPTIONS: tuple[Option, ...] = (
    Option("target", "the implementation under test, in process: package.module:factory", metavar="FACTORY"),
    Option("target-command", "the implementation under test in any language: serves stdio", metavar="COMMAND"),
    Option("kubelet", "an unmodified kubelet as the implementation under test: its binary", metavar="PATH"),
    Option("device-plugin", "an unmodified device plugin as the implementation under test", metavar="COMMAND"),
    Option("dra-driver", "an unmodified DRA driver of CPUs as the implementation under test", metavar="COMMAND"),
    Option(
        "nri-plugin",
        "an unmodified NRI plugin as the implementation under test; with --numa-kubelet beside that kubelet",
        metavar="COMMAND",
    ),
    Option(
        "binaries",
        "with --numa-dra-driver: a folder of etcd, kube-apiserver, kube-scheduler, ...; a cluster of them is brought "
        "up in place of stand-ins",
        metavar="FOLDER",
    ),
    Option(
        "unsupported",
        "of an unmodified plugin or driver: words (a regular expression) with which it gives up on a machine that it "
        "does not support; a crash never counts",
        metavar="REGEX",
    ),
    Option(
        "at-once",
        "how many of the target are asked generated conversations side by side "
        "(default: one for each idle CPU; for each CPU one unmodified kubelet, or two DRA drivers; 1 of others that "
        "are unmodified, and within a budget)",
        metavar="N",
    ),
    Option(
        "level",
        "documented: what the documentation states; exact: the kubelet's own placements too",
        choices=("documented", "exact"),
        default="documented",
    ),
    Option(
        "profile",
        "a named set of features (all, node, cpu, ...), a Kubernetes version, or both: node@1.31",
        metavar="NAME@VERSION",
    ),
    Option(
        "timeout",
        "seconds that one call may take (default: 10; of unmodified kubelets, plugins, drivers 120)",
        metavar="SECONDS",
    ),
    Option(
        "machine",
        "a machine to test on, by name or file, or with a - before it one to leave out (--numa-machine=-NAME); "
        "repeatable (default: those of the catalogue)",
        "list",
        "MACHINE",
    ),
    Option("requirement", "only these requirements: an id or a glob; repeatable", "list", "ID"),
    Option("case", "only this case of the suite, or this test with all its cases; repeatable", "list", "ID"),
    Option(
        "list",
        "print what would be asked, and ask nothing: requirements, machines, cases, what is not claimed",
        "form",
        choices=("text", "json"),
    ),
    Option("features", "override what the target claims: =+feature,-feature", metavar="LIST"),
    Option("known-failures", "a file of known failures; only others fail the run", metavar="FILE"),
    Option("report", "write a web page, report.json and files for CI systems to this folder", metavar="FOLDER"),
    Option("histories", "keep all generated conversations in the folder of --numa-report", "flag"),
    Option("markdown", "write the verdict and what is not met to this file, for a CI summary", metavar="FILE"),
    Option(
        "snapshots",
        "compare placements and scores with golden snapshots of your own in this folder, not with Kubernetes'",
        metavar="FOLDER",
    ),
    Option("snapshot-update", "write the golden snapshots anew instead of comparing with them", "flag"),
    Option("rerun", "run only what failed in this report.json", metavar="REPORT"),
    Option(
        "budget",
        "a time for the whole run (90s, 10m), or a part of the generated conversations (5%%); "
        "requirements are asked less often",
        metavar="BUDGET",
    ),
    Option("deep", "ask conversations of new seeds too, for ten minutes or the time that --numa-budget says", "flag"),
    Option("no-shrink", "show failing examples as they were found: spend no search on smaller ones", "flag"),
)
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


def is_set(config: pytest.Config, name: str) -> bool:
    """Tell whether a flag stands on the command line or in the ini file."""
    return bool(config.getoption(name) or config.getini(name))
