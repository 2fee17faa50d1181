"""The example of a device plugin, as a program beside a served node."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from processes import PATIENCE, wait_until
from served import NIC, Served, pod, records

EXAMPLE = Path(__file__).parents[3] / "examples/device_plugin"


def test_it_offers_its_devices_follows_its_file_and_registers_again_after_a_restart_of_the_node(tmp_path):
    file = tmp_path / "devices.json"
    devices = json.loads((EXAMPLE / "devices.json").read_text())
    file.write_text(json.dumps(devices))
    words = [sys.executable, EXAMPLE / "plugin.py", tmp_path / "root/device-plugins", file]
    with Served(tmp_path) as served:
        plugin = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        wait_until(lambda: NIC in served.agent.view.devices)
        served.put(pod("a", nic=1))
        assert records(served.containers("a")["c"]) == [(["nic-1"], [0])]
        devices["devices"]["nic-3"]["healthy"] = False
        file.write_text(json.dumps(devices))
        wait_until(lambda: served.told[-1].endswith("4 devices, unhealthy: nic-3"))
    with Served(tmp_path) as served:
        wait_until(lambda: served.list())
    plugin.terminate()
    out, _ = plugin.communicate(timeout=PATIENCE)
    # An answer is printed by another thread than a registration.
    assert (plugin.returncode, sorted(out.splitlines())) == (0, ["allocated nic-1"] * 2 + [f"registered {NIC}"] * 2)
