"""Daemons that give up on a machine, and say so in words that the user has named: not a failure. A crash is one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.errors import UsageError
from numa_conformance.lab.daemon.daemon import Daemon
from numa_conformance.lab.device_plugin.target import PluginTarget
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.wire import Client, InProcess, Unsupported
from numa_conformance.wire.messages.plugin import PluginFailed, PluginStarted, StartPlugin

EXAMPLE = Path(__file__).parents[3] / "examples/device_plugin"
WORDS = "NUMA node ids with gaps are not supported"
GIVES_UP = f"import sys; print('starting'); sys.exit({WORDS!r})"
CRASHES = f"print({WORDS!r}, flush=True); raise IndexError(8)"
IS_KILLED = f"import os; print({WORDS!r}, flush=True); os.kill(os.getpid(), 11)"
TAKES_ALL = f"print({WORDS!r}, flush=True); import slots; slots.main()"


def answer(script: str, unsupported: str, machine: str = "sparse-ids") -> PluginStarted | PluginFailed:
    """Start a device plugin that runs a script, on one machine."""
    words = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(EXAMPLE)!r}); {script}"]
    target = PluginTarget([*words, "{plugin_folder}", "{host_root}"], unsupported)
    client = Client(InProcess(lambda: target, "plugin"))
    try:
        return client.ask(StartPlugin(machine_to_dict(load_machine(machine))))
    finally:
        client.close()
        target.close()


def test_a_machine_that_it_gives_up_on_is_outside_and_the_reason_is_its_own() -> None:
    with pytest.raises(Unsupported) as told:
        answer(GIVES_UP, "ids with gaps")
    assert told.value.reason == WORDS


@pytest.mark.parametrize(
    ("script", "unsupported"),
    [(GIVES_UP, ""), (GIVES_UP, "no such words"), (CRASHES, "ids with gaps"), (IS_KILLED, "ids with gaps")],
    ids=["no words are named", "other words", "it crashes", "a signal ends it"],
)
def test_whatever_else_keeps_it_from_coming_up_is_a_failure(script: str, unsupported: str) -> None:
    assert isinstance(answer(script, unsupported), PluginFailed)


def test_one_that_comes_up_is_asked_whatever_it_says() -> None:
    assert isinstance(answer(TAKES_ALL, "ids with gaps"), PluginStarted)


def test_words_that_are_no_regular_expression_are_refused() -> None:
    with pytest.raises(UsageError, match="unterminated character set"):
        Daemon("plugin", ["true"], ["{nri_socket}"], "[")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("/no/such/plugin --flag", "/no/such/plugin: there is no such program"),
        ("true {nri_sockett}", "did you mean '{nri_socket}'?"),
        ("true -root={root}", "did you mean '{host_root}'?"),
    ],
)
def test_a_command_that_cannot_be_meant_is_refused_before_anything_is_asked(command: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        Daemon("plugin", command.split(), ["{nri_socket}", "{host_root}"])


@pytest.mark.parametrize(
    "braces",
    ["a{b,c}", "${nri_sockets}", "${HOST_ROOT}", "{{.host_root}}", '{"root": 1}', "{print}", "{}", "{ true; }"],
)
def test_braces_of_a_shell_and_of_the_daemon_stay(braces: str) -> None:
    Daemon("plugin", ["sh", "-c", braces], ["{nri_socket}", "{host_root}"]).close()
