"""A plugin on a busy machine takes minutes to come up."""

import pytest

from processes import PATIENCE


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    from numa_conformance.lab.device_plugin import kubelet, target
    from numa_conformance.lab.kubelet_apis import interfaces

    monkeypatch.setattr(interfaces.GrpcClient.ask, "__defaults__", (PATIENCE,))
    monkeypatch.setattr(target, "REGISTER_SECONDS", PATIENCE)
    monkeypatch.setattr(kubelet, "CONNECT_SECONDS", PATIENCE)
    monkeypatch.setattr(kubelet, "LIST_SECONDS", PATIENCE)
