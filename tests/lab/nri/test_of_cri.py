"""What plugins of NRI hear of a kubelet's containers, and what becomes of their answers: without a plugin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")

from numa_conformance.lab.kubelet.cri_objects import EXITED, CriContainer, RefusedError, Sandbox
from numa_conformance.lab.kubelet_apis.interfaces import CRI
from numa_conformance.lab.nri.of_cri import RuntimePlugins
from numa_conformance.lab.nri.runtime_side import NriError


class Side:
    """Answers as it was told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.known: Mapping[str, Any] = {}
        self.answers: dict[str, Mapping[str, Any] | NriError] = {}
        self.unasked: list[Mapping[str, Any]] = []

    def call(self, name: str, known: Mapping[str, Any], **message: Any) -> Mapping[str, Any]:
        self.asked.append((name, message))
        self.known = known
        answer = self.answers.get(name, {})
        if isinstance(answer, NriError):
            raise answer
        return answer

    def updates(self) -> list[Mapping[str, Any]]:
        taken, self.unasked = self.unasked, []
        return taken


def cpus(text: str) -> dict[str, Any]:
    return {"resources": {"cpu": {"cpus": text}}}


def a_sandbox(uid: str) -> Sandbox:
    config = CRI.PodSandboxConfig(metadata=CRI.PodSandboxMetadata(name=f"pod-{uid}", uid=uid, namespace="default"))
    return Sandbox(f"sandbox-{uid}", config, 1)


def a_container(sandbox: Sandbox) -> CriContainer:
    resources = CRI.LinuxContainerResources(cpu_shares=2048, cpu_quota=200_000, cpu_period=100_000)
    config = CRI.ContainerConfig(
        metadata=CRI.ContainerMetadata(name="c"), envs=[CRI.KeyValue(key="A", value="1")], labels={"l": "v"}
    )
    return CriContainer(f"container-{sandbox.uid}", sandbox, config, resources, 1, environment=["CPUSET=2-3"])


@pytest.fixture
def side() -> Side:
    return Side()


@pytest.fixture
def plugins(side: Side, tmp_path: Path) -> RuntimePlugins:
    made = RuntimePlugins(Path("none"), tmp_path, lambda uid: "Guaranteed" if uid == "u" else "BestEffort")
    made._side = side  # type: ignore[assignment]
    return made


def test_a_container_is_told_as_the_kubelet_wants_it_with_the_environment_of_its_devices(
    plugins: RuntimePlugins, side: Side
) -> None:
    sandbox = a_sandbox("u")
    plugins("CreateContainer", sandbox, a_container(sandbox))
    name, message = side.asked[0]
    told = message["container"]
    assert (name, message["pod"]["linux"]["cgroupParent"]) == ("CreateContainer", "/kubepods/podu")
    assert told["env"] == ["A=1", "CPUSET=2-3"]
    assert told["labels"] == {"l": "v"}
    assert told["linux"]["resources"]["cpu"] == {
        "quota": {"value": 200_000}, "shares": {"value": 2048}, "period": {"value": 100_000},
    }  # fmt: skip


def test_a_container_gets_what_a_plugin_gives_it_and_so_do_others(plugins: RuntimePlugins, side: Side) -> None:
    first, second = a_sandbox("u"), a_sandbox("v")
    shared, own = a_container(first), a_container(second)
    plugins("CreateContainer", first, shared)
    side.answers["CreateContainer"] = {
        "adjust": {"linux": cpus("1")},
        "update": [{"containerId": shared.id, "linux": cpus("0,2-3")}, {"containerId": "who", "linux": cpus("9")}],
    }
    plugins("CreateContainer", second, own)
    assert (own.resources.cpuset_cpus, shared.resources.cpuset_cpus) == ("1", "0,2-3")
    assert own.resources.cpu_quota == 200_000
    side.unasked = [{"containerId": own.id, "linux": cpus("3")}]
    plugins.take_updates()
    assert own.resources.cpuset_cpus == "3"


def test_what_a_plugin_refuses_is_not_made_and_no_refusal_keeps_what_ends(plugins: RuntimePlugins, side: Side) -> None:
    sandbox = a_sandbox("u")
    container = a_container(sandbox)
    side.answers = {
        "CreateContainer": NriError("no room"),
        "StopContainer": NriError("no"),
        "StopPodSandbox": NriError("no"),
    }
    with pytest.raises(RefusedError, match="CreateContainer: no room"):
        plugins("CreateContainer", sandbox, container)
    plugins("StopContainer", sandbox, container)
    plugins("StopPodSandbox", sandbox, None)
    assert [name for name, _ in side.asked] == ["CreateContainer", "StopContainer", "StopPodSandbox"]


def test_one_that_registers_is_told_of_nothing_that_has_ended_or_was_refused(
    plugins: RuntimePlugins, side: Side
) -> None:
    sandboxes = [a_sandbox(uid) for uid in "uvw"]
    containers = [a_container(sandbox) for sandbox in sandboxes]
    for sandbox, container in zip(sandboxes, containers, strict=True):
        plugins("RunPodSandbox", sandbox, None)
        plugins("CreateContainer", sandbox, container)
    side.answers["CreateContainer"] = NriError("no room")
    with pytest.raises(RefusedError):
        plugins("CreateContainer", sandboxes[0], replace(containers[0], id="another"))
    containers[0].state = EXITED
    plugins("StopContainer", sandboxes[0], containers[0])
    assert [made["id"] for made in side.known["containers"]] == ["container-v", "container-w"]
    plugins("RemoveContainer", sandboxes[1], containers[1])
    plugins("RemovePodSandbox", sandboxes[1], None)
    assert [made["id"] for made in side.known["containers"]] == ["container-w"]
    assert [pod["id"] for pod in side.known["pods"]] == ["sandbox-u", "sandbox-w"]


def test_an_update_of_the_kubelet_goes_past_the_plugins(plugins: RuntimePlugins, side: Side) -> None:
    sandbox = a_sandbox("u")
    container = a_container(sandbox)
    plugins("CreateContainer", sandbox, container)
    container.resources.cpuset_cpus = "0-3"
    side.answers["UpdateContainer"] = {"update": [{"containerId": container.id, "linux": cpus("1")}]}
    plugins("UpdateContainer", sandbox, container)
    assert side.asked[-1][1]["linuxResources"]["cpu"]["cpus"] == "0-3"
    assert container.resources.cpuset_cpus == "1"


def test_nobody_is_asked_for_the_class_of_a_pod_that_is_gone(side: Side, tmp_path: Path) -> None:
    """Who knows the pods of a cluster waits for one that is not there, and all of the runtime with it."""
    there = {"u"}

    def qos_of(uid: str) -> str:
        assert uid in there
        return "Guaranteed"

    plugins = RuntimePlugins(Path("none"), tmp_path, qos_of)
    plugins._side = side  # type: ignore[assignment]
    sandbox = a_sandbox("u")
    plugins("RunPodSandbox", sandbox, None)
    there.clear()
    plugins("StopPodSandbox", sandbox, None)
    plugins("RemovePodSandbox", sandbox, None)
    assert side.asked[-1][1]["pod"]["linux"] == side.asked[0][1]["pod"]["linux"]
