"""The lists of a device plugin: their stream is kept as a kubelet keeps it, and every list counts, not the first."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators import device_plugins as generator
from numa_conformance.asking.generators.device_plugins import RESTART, device_plugins
from numa_conformance.asking.outcomes import GroupOutcome
from numa_conformance.lab.device_plugin import kubelet
from numa_conformance.lab.device_plugin.target import PluginTarget
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.plugin import AllocateDevices, DevicesAllocated, PluginStarted, StartPlugin
from processes import PATIENCE, wait_until

EXAMPLE = Path(__file__).parents[3] / "examples/device_plugin"
BEGIN = f"""
import os, sys, threading, grpc
sys.path.insert(0, {str(EXAMPLE)!r})
import plugin
from plugin import V1BETA1

def listed(**devices):
    return V1BETA1.ListAndWatchResponse(devices=[plugin.described(id, told) for id, told in devices.items()])
"""

ENDS_WITH_ITS_STREAM = """
class Odd(plugin.Plugin):
    def list(self, request, context):
        context.add_callback(lambda: os._exit(1))
        yield from super().list(request, context)
"""
LISTS_NOTHING_AT_FIRST = """
class Odd(plugin.Plugin):
    def list(self, request, context):
        yield listed()
        yield from super().list(request, context)
"""
CHANGES_ITS_LIST = """
class Odd(plugin.Plugin):
    asked, told, second = threading.Event(), threading.Event(), {}

    def list(self, request, context):
        yield listed(a={"numa": [0]}, b={"numa": [0]})
        self.asked.wait()
        yield listed(**self.second)
        self.told.set()
        over = threading.Event()
        context.add_callback(over.set)
        over.wait()

    def allocate(self, request, context):
        self.asked.set()
        self.told.wait()
        healthy = {id for id, device in self.second.items() if device.get("healthy", True)}
        if not healthy.issuperset(request.container_requests[0].devices_ids):
            context.abort(grpc.StatusCode.UNKNOWN, "no longer healthy")
        return super().allocate(request, context)

    def keep_up(self):
        pass
"""
FALLS_ILL = CHANGES_ITS_LIST + 'Odd.second = {"a": {"numa": [0], "healthy": False}, "b": {"healthy": False}}\n'
NAMES_A_STRANGE_NODE = CHANGES_ITS_LIST + 'Odd.second = {"a": {"numa": [-1]}, "b": {"numa": [0]}}\n'


def asked(script: str, folder: Path, without: frozenset[str] = frozenset({RESTART})) -> tuple[GroupOutcome, int]:
    """Ask a plugin that a script makes of the example; returns too how often it was started again."""
    program = folder / "odd.py"
    program.write_text(f"{BEGIN}\n{script}\nplugin.Plugin = Odd\nplugin.main()\n")
    target = PluginTarget([sys.executable, str(program), "{plugin_folder}", str(EXAMPLE / "devices.json")])
    client = Client(InProcess(lambda: target, "plugin"))
    try:
        claimed = frozenset(client.features) - without
        outcome = Asking(device_plugins(claimed, [load_machine("snc2-small")]), client, "1.36").spend()
        return outcome, client.record.restarts
    finally:
        client.close()
        target.close()


@pytest.mark.parametrize("script", [ENDS_WITH_ITS_STREAM, LISTS_NOTHING_AT_FIRST], ids=["ends", "empty at first"])
def test_a_plugin_that_leans_on_its_stream_is_served_as_by_a_kubelet(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kubelet, "MORE_SECONDS", PATIENCE)  # the second list ends the wait
    verdicts = asked(script, tmp_path)[0].verdicts
    assert verdicts.unmet == set()
    assert "device-plugin/allocation/serves-what-it-offers" in verdicts.tests


def test_devices_that_are_no_longer_offered_need_not_be_served(tmp_path: Path) -> None:
    assert asked(FALLS_ILL, tmp_path)[0].verdicts.unmet == set()


def test_a_later_list_is_judged_as_the_first_one(tmp_path: Path) -> None:
    outcome, _ = asked(NAMES_A_STRANGE_NODE, tmp_path)
    assert outcome.verdicts.unmet == {"device-plugin/topology/names-nodes-of-the-machine"}


def test_devices_of_a_later_list_are_asked_for(tmp_path: Path) -> None:
    comes = CHANGES_ITS_LIST + 'Odd.second = {"c": {"numa": [0]}, "d": {"numa": [1]}}\n'
    outcome, _ = asked(comes, tmp_path)
    assert outcome.verdicts.unmet == set()
    assert outcome.verdicts.tests["device-plugin/allocation/serves-what-it-offers"]


COMES_UP_AT_THE_SECOND_START = """
before = plugin.Path(sys.argv[0] + ".before")
if not before.exists():
    before.touch()
    sys.exit(1)
Odd = plugin.Plugin
"""
ENDS_AT_ALLOCATE = """
class Odd(plugin.Plugin):
    def allocate(self, request, context):
        os._exit(1)
"""


@pytest.mark.parametrize(
    ("script", "unmet"),
    [
        (ENDS_WITH_ITS_STREAM, set()),
        (COMES_UP_AT_THE_SECOND_START, set()),
        (ENDS_AT_ALLOCATE, {"device-plugin/allocation/serves-what-it-offers"}),
    ],
    ids=["with its kubelet", "before it is met", "at a question"],
)
def test_a_plugin_that_ends_is_started_again_as_of_a_daemon_set(
    script: str, unmet: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "EVENTS", 8)
    outcome, restarts = asked(script, tmp_path, frozenset())
    assert outcome.verdicts.unmet == unmet
    assert restarts or unmet


def test_a_plugin_that_ends_between_answers_is_started_again_and_lists_anew(tmp_path: Path) -> None:
    number = tmp_path / "number"
    script = (
        f"import os, pathlib; pathlib.Path({str(number)!r}).write_text(str(os.getpid())); import slots; slots.main()"
    )
    words = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(EXAMPLE)!r}); {script}"]
    target = PluginTarget([*words, "{plugin_folder}", "{host_root}"])
    client = Client(InProcess(lambda: target, PATIENCE))
    try:
        started = client.ask(StartPlugin(machine_to_dict(load_machine("one-cpu"))))
        assert isinstance(started, PluginStarted)
        os.kill(int(number.read_text()), signal.SIGKILL)
        wait_until(lambda: target._daemon.ended)
        assert client.ask(AllocateDevices([started.devices[0].id])) == DevicesAllocated(1, [started.devices])
    finally:
        client.close()
        target.close()
