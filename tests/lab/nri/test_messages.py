"""What an NRI plugin is told of pods, and what is made of its answers: without a plugin."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import Pod
from numa_conformance.lab.nri.pods import RunningPod
from numa_conformance.lab.nri.runtime_side import built


def running(cpu: str, *, is_limit: bool = True) -> RunningPod:
    resources = {"limits" if is_limit else "requests": {"cpu": cpu, "memory": "1Gi"}}
    containers = [{"name": "c", "resources": resources}]
    return RunningPod(Pod.from_dict({"metadata": {"uid": "u", "name": "p"}, "spec": {"containers": containers}}))


@pytest.mark.parametrize(
    ("cpu", "is_limit", "parent", "shares", "quota", "is_entitled"),
    [
        ("2", True, "/kubepods/podu", 2048, 200_000, True),
        ("1500m", True, "/kubepods/podu", 1536, 150_000, False),
        ("2", False, "/kubepods/burstable/podu", 2048, None, False),
        ("1m", False, "/kubepods/burstable/podu", 2, None, False),
    ],
)
def test_a_container_is_told_as_a_kubelet_asks_for_it(
    cpu: str, is_limit: bool, parent: str, shares: int, quota: int | None, is_entitled: bool
) -> None:
    pod = running(cpu, is_limit=is_limit)
    made = pod.made(pod.pod.containers[0])
    told = made.message["linux"]["resources"]["cpu"]
    assert pod.message["linux"]["cgroupParent"] == parent
    assert (told["shares"]["value"], told.get("quota", {}).get("value")) == (shares, quota)
    assert made.is_entitled == is_entitled


def test_what_is_left_out_of_an_adjustment_stays() -> None:
    pod = running("2")
    made = pod.made(pod.pod.containers[0])
    assert made.adjust({"resources": {"cpu": {"cpus": "1-2", "mems": "0"}}})
    assert made.adjust({"resources": {"cpu": {"cpus": "3-4"}}})
    assert not made.adjust({"resources": {"memory": {"limit": {"value": 1}}}})
    assert (made.cpus, made.mems) == ("3-4", "0")
    assert made.message["linux"]["resources"]["cpu"]["cpus"] == "3-4"


def test_without_go_the_reason_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match=r"Go 1\.24 or newer"):
        built()
