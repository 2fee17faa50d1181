"""A driver on a busy machine takes minutes to come up."""

import pytest

from processes import PATIENCE


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    from numa_conformance.lab.dra import driver_process, target
    from numa_conformance.lab.kubelet_apis import interfaces

    monkeypatch.setattr(interfaces.GrpcClient.ask, "__defaults__", (PATIENCE,))
    monkeypatch.setattr(driver_process, "REGISTER_SECONDS", PATIENCE)
    monkeypatch.setattr(driver_process, "PUBLISH_SECONDS", PATIENCE)
    monkeypatch.setattr(target, "_CONNECT_SECONDS", PATIENCE)
