"""Device plugins of what is on the PCI bus, of several resources, and of the kubelet's other registry."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from asked_in_full import deep
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.device_plugins import device_plugins
from numa_conformance.lab.device_plugin.target import PluginTarget
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.plugin import PluginStarted, RestartKubelet, StartPlugin

EXAMPLE = Path(__file__).parents[3] / "examples/device_plugin"
TOPOLOGY = "device-plugin/topology/"
ASKED = [
    ("", "nvidia-gh200", set()),
    ("", "two-nodes-devices", set()),
    ("--minus-one", "two-nodes-devices", set()),
    ("--first-node", "nvidia-gh200", set()),
    ("--minus-one", "nvidia-gh200", {TOPOLOGY + "names-nodes-of-the-machine"}),
    ("--first-node", "two-nodes-devices", {TOPOLOGY + "names-the-node-of-a-pci-device"}),
]
"""How the plugin is wrong, the machine, and what is unmet: on nvidia-gh200 the GPU is at NUMA node -1."""


@pytest.mark.parametrize(
    ("option", "machine", "unmet"),
    [pytest.param(*each, marks=() if each[2] or each == ASKED[1] else deep, id=" ".join(each[:2])) for each in ASKED],
)
def test_a_plugin_that_looks_on_the_pci_bus_is_judged_by_it(option: str, machine: str, unmet: set[str]) -> None:
    words = [sys.executable, str(EXAMPLE / "pci.py"), "{plugin_folder}", "{host_root}", *option.split()]
    target = PluginTarget(words)
    client = Client(InProcess(lambda: target, "plugin"))
    try:
        asked = Asking(device_plugins(client.features, [load_machine(machine)]), client, "1.36").spend()
    finally:
        client.close()
        target.close()
    assert asked.verdicts.unmet == unmet
    if machine == "two-nodes-devices":
        assert asked.verdicts.tests[TOPOLOGY + "names-the-node-of-a-pci-device"]


BEGIN = f"""
import json, sys, threading
from pathlib import Path
sys.path.insert(0, {str(EXAMPLE)!r})
import plugin
from numa_conformance.lab.kubelet_apis.interfaces import REGISTRATION, serve, service
folder = Path(sys.argv[1])

def made(resource, endpoint):
    text = json.dumps({{"resource": resource, "devices": {{resource[-3:]: {{"numa": [0]}}}}}})
    (folder.parent / f"{{endpoint}}.json").write_text(text)
    one = plugin.Plugin(folder, folder.parent / f"{{endpoint}}.json")
    one.text = text
    return one
"""
TWO = """
plugins = {"example.com/nic": "n.sock", "example.com/gpu": "g.sock"}
plugins = {made(*each): each[1] for each in plugins.items()}
while True:
    for one, plugin.ENDPOINT in plugins.items():
        one.start() if one.server is None else one.keep_up()
    threading.Event().wait(0.05)
"""
OF_THE_REGISTRY = """
one = made("example.com/vf", "v.sock")
place, plugin.ask = folder.parent / "plugins_registry" / "vf.sock", lambda *words: None
plugin.serve = lambda socket, *services: serve(str(place), *services, service(REGISTRATION, "Registration", {
    "GetInfo": lambda request, context: REGISTRATION.PluginInfo(
        type="DevicePlugin", name="example.com/vf", endpoint=str(place), supported_versions=["v1beta1"]),
    "NotifyRegistrationStatus": lambda request, context: REGISTRATION.Empty(),
}, {"GetInfo": "InfoRequest", "NotifyRegistrationStatus": "RegistrationStatus"}))
one.start()
threading.Event().wait()
"""


@pytest.mark.parametrize(
    ("script", "resources"),
    [(TWO, ["example.com/gpu", "example.com/nic", "example.com/gpu"]), (OF_THE_REGISTRY, ["example.com/vf"] * 2)],
    ids=["two resources", "plugins_registry"],
)
def test_each_resource_has_its_turn_wherever_it_registers(script: str, resources: list[str]) -> None:
    target = PluginTarget([sys.executable, "-c", BEGIN + script, "{plugin_folder}"])
    machine = machine_to_dict(load_machine("snc2-small"))
    try:
        for resource in resources:
            for answer in (target.plugin_start(StartPlugin(machine)), target.plugin_restart(RestartKubelet())):
                assert isinstance(answer, PluginStarted), answer
                assert answer.resource == resource
                assert [device.id for device in answer.devices] == [resource[-3:]]
    finally:
        target.close()
