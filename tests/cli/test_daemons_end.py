"""What serves an unmodified daemon ends it, and leaves no folder, whatever ends it itself."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from asked_in_full import deep
from numa_conformance.lab.device_plugin.target import PluginTarget
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.wire.messages.plugin import PluginFailed, StartPlugin
from processes import runs, wait_until

DOOR = """
import sys
from pathlib import Path
from numa_conformance.cli import main
from numa_conformance.files import TemporaryFolder

knows = TemporaryFolder.end_with_owner

def tells(folder, group):
    knows(folder, group)
    Path(sys.argv[1]).touch()

TemporaryFolder.end_with_owner = tells
main(["serve", "device-plugin", "--", *sys.argv[2:]])
"""
"""Serves a plugin, and makes a file once it is known what to kill."""
MACHINE = machine_to_dict(load_machine("one-cpu"))
START = {"jsonrpc": "2.0", "id": 1, "method": "plugin.start", "params": {"machine": MACHINE, "host_root": "/"}}


@pytest.mark.parametrize(
    "number",
    [pytest.param(signal.SIGHUP, marks=deep), pytest.param(signal.SIGINT, marks=deep), signal.SIGTERM, signal.SIGKILL],
)
def test_a_daemon_ends_with_what_serves_it_and_no_folder_is_left(tmp_path, number) -> None:
    told, known = tmp_path / "told", tmp_path / "known"
    daemon = ["sh", "-c", f"echo $$ > {told}.tmp; mv {told}.tmp {told}; exec sleep 3600", "{plugin_folder}"]
    with tempfile.TemporaryDirectory(dir="/tmp") as short:
        environment = {**os.environ, "TMPDIR": short}
        command = [sys.executable, "-c", DOOR, str(known), *daemon]
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as door:
            assert door.stdin is not None
            door.stdin.write(json.dumps(START).encode() + b"\n")
            door.stdin.flush()
            wait_until(lambda: told.exists() and known.exists())
            assert len(list(Path(short).iterdir())) == 1
            door.send_signal(number)
        wait_until(lambda: not list(Path(short).iterdir()))
        assert not runs(int(told.read_text()))


def test_sockets_fit_where_the_system_has_a_long_path_for_temporary_files(tmp_path, monkeypatch) -> None:
    long = tmp_path / ("long" * 20)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    target = PluginTarget(["true", "{plugin_folder}"])
    monkeypatch.undo()
    try:
        answer = target.plugin_start(StartPlugin(MACHINE, "/"))
    finally:
        target.close()
    assert answer == PluginFailed(
        "the plugin has ended with exit status 0, also after 3 restarts, and has not registered", "finished"
    )
    assert not list(long.iterdir())
