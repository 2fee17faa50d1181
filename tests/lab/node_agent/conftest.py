import tempfile
from pathlib import Path

import pytest

from processes import PATIENCE


@pytest.fixture
def tmp_path():
    """Give a folder with a short name: that of a socket has at most 107 bytes, and pytest's own are long."""
    with tempfile.TemporaryDirectory(prefix="numa-") as folder:
        yield Path(folder)


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    from numa_conformance.lab.kubelet_apis import interfaces
    from numa_conformance.lab.node_agent.agent import ConnectedPlugin

    monkeypatch.setattr(interfaces.GrpcClient.ask, "__defaults__", (PATIENCE,))
    for name in ("DIAL_SECONDS", "CALL_SECONDS", "PRE_START_SECONDS"):
        monkeypatch.setattr(ConnectedPlugin, name, PATIENCE)
