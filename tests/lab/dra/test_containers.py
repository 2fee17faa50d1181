"""The container runtime that a DRA driver meets: CDI devices, and what a plugin of NRI says."""

from __future__ import annotations

import json
import os
from collections import deque
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.cpuset import CpuSet
from numa_conformance.lab.dra import containers as module
from numa_conformance.lab.dra.containers import Containers
from numa_conformance.lab.dra.target import DriverRefusedError


class Plugin:
    """A plugin of NRI behind a runtime that is none; ``answers`` are those to CreateContainer, in order."""

    answers: deque[dict[str, Any]]
    unasked: list[dict[str, Any]]

    def __init__(self, *_: object) -> None:
        self.closed = False

    def registered(self, seconds: float) -> bool:
        return True

    def call(self, name: str, **message: Any) -> dict[str, Any]:
        if "pod" in message:  # plugins read it without a look whether it is there
            assert message["pod"]["linux"]["cgroupParent"]
        if "container" in message:
            assert message["container"]["linux"]["cgroupsPath"].startswith(message["pod"]["linux"]["cgroupParent"])
        return self.answers.popleft() if name == "CreateContainer" and self.answers else {}

    def updates(self) -> list[dict[str, Any]]:
        return self.unasked

    def close(self) -> None:
        self.closed = True


def _linux(cpus: str, **more: str) -> dict[str, Any]:
    return {"linux": {"resources": {"cpu": {"cpus": cpus, **more}}}}


def _spec(folder: Path, device: str, *variables: str) -> None:
    kind, _, name = device.partition("=")
    devices = [{"name": name, "containerEdits": {"env": list(variables)}}]
    (folder / f"{name}.json").write_text(json.dumps({"kind": kind, "devices": devices}))


@pytest.fixture
def alone(tmp_path: Path) -> Containers:
    return Containers(tmp_path, CpuSet.parse("0-7"))


@pytest.fixture
def beside(alone: Containers, monkeypatch: pytest.MonkeyPatch) -> Containers:
    monkeypatch.setattr(module, "RuntimeSide", Plugin)
    monkeypatch.setattr(Plugin, "answers", deque(), raising=False)
    monkeypatch.setattr(Plugin, "unasked", [], raising=False)
    alone.listen(Path("program"))
    assert alone.met(0)
    return alone


def test_without_a_plugin_the_variables_of_cdi_devices_count(alone: Containers) -> None:
    _spec(alone.cdi, "cpu.test/set=a", "CPUSET_a=2-3", "OTHER=9")
    _spec(alone.cdi, "cpu.test/set=b", "DRA_CPUSET_b=5")
    assert alone.run("a", ["cpu.test/set=a", "cpu.test/set=b"])[0] == "2-3,5"
    assert alone.shared is None


def test_a_device_that_tells_no_set_of_cpus_is_refused(alone: Containers) -> None:
    _spec(alone.cdi, "cpu.test/set=a", "CPUSET=all")
    with pytest.raises(DriverRefusedError, match="is no set of CPUs: 'all'"):
        alone.run("a", ["cpu.test/set=a"])


def test_a_device_of_memory_tells_no_cpus(alone: Containers) -> None:
    _spec(alone.cdi, "memory.test/set=a", "NODES=0")
    assert alone.run("a", ["memory.test/set=a"])[0] == ""


def test_a_device_that_is_not_there_is_refused(alone: Containers) -> None:
    with pytest.raises(DriverRefusedError, match="there is no CDI device cpu"):
        alone.run("a", ["cpu.test/set=a"])


KIND = '{"kind": "cpu.test/set", %s}'
OF_NO_FORM = {
    "a bomb": "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{each}: &a{each} [{', '.join([f'*a{each - 1}'] * 10)}]\n" for each in range(1, 12)),
    "deep": "[" * 100_000,
    "no devices": KIND % '"devices": 7',
    "no device": KIND % '"devices": [7, {"name": []}]',
    "no edits": KIND % '"containerEdits": 7, "devices": [{"name": "b", "containerEdits": {"env": {}}}]',
    "no UTF-8": "\udcff",
}


@pytest.mark.parametrize("name", OF_NO_FORM)
def test_a_file_of_no_form_is_refused(alone: Containers, name: str) -> None:
    (alone.cdi / "x.yaml").write_bytes(OF_NO_FORM[name].encode("utf-8", "surrogateescape"))
    with pytest.raises(DriverRefusedError, match=r"there is no CDI device cpu|the CDI file x\.yaml cannot be read: "):
        alone.run("a", ["cpu.test/set=a"])


def test_a_file_that_never_ends_is_refused(alone: Containers) -> None:
    os.mkfifo(alone.cdi / "x.json")
    with pytest.raises(DriverRefusedError, match=r"x\.json: is a FIFO"):
        alone.run("a", ["cpu.test/set=a"])


def test_a_plugin_that_gives_no_cpus_leaves_a_container_all_that_are_online(beside: Containers) -> None:
    Plugin.answers.append({"adjust": _linux("")})
    beside.run_shared("s")
    assert beside.shared == {"s": "0-7"}


def test_what_a_plugin_changes_beside_a_new_container_counts(beside: Containers) -> None:
    Plugin.answers.append({"adjust": _linux("0-7")})
    beside.run_shared("s")
    _spec(beside.cdi, "cpu.test/set=a", "CPUSET_a=6")
    Plugin.answers.append({"adjust": _linux("2-3"), "update": [{"containerId": "s-1", **_linux("0-1,4-7")}]})
    assert beside.run("a", ["cpu.test/set=a"])[0] == "2-3"
    assert beside.shared == {"s": "0-1,4-7"}
    Plugin.unasked.append({"containerId": "s-1", **_linux("0")})
    assert beside.shared == {"s": "0"}
    beside.end("s")
    assert beside.shared == {}


def test_a_plugin_keeps_the_memory_of_a_container_to_numa_nodes(beside: Containers) -> None:
    Plugin.answers.append({"adjust": _linux("", mems="1")})
    assert beside.run("a", []) == ("", "1")
    assert beside.run("b", []) == ("", None)
