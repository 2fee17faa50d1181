"""What unmodified kubelets write, tell and ask of the container runtime gives no finding."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from fake_nodes import FakeNode
from kubelets import PATHS, needs_kubelet, needs_namespaces
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.lab.kubelet.process import version_of
from numa_conformance.sources.versions import KubernetesVersion
from processes import PATIENCE

pytestmark = [needs_kubelet, needs_namespaces]
RECONCILE = "cpu-manager/reconcile/running-containers-get-their-cpusets"


@pytest.fixture(scope="module", params=PATHS or [""], ids=lambda path: Path(path).name)
def told(request):
    program = Path(__file__).with_name("kubelet_node.py")
    # On the disk: a target that starts kubelets lays memory of its own over /dev/shm.
    with tempfile.TemporaryDirectory(prefix="numa-", dir="/var/tmp") as folder:
        run = subprocess.run(
            [sys.executable, str(program), request.param, folder],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env={"PYTHONPATH": str(Path(__file__).parents[1]), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        )
    assert run.returncode == 0, run.stderr[-4000:]
    return json.loads(run.stdout)


def test_a_node_of_a_released_kubelet_gives_nothing(told):
    assert told["clean"]["findings"] == []
    asked = {RECONCILE: 5, "protocol/state-agrees-with-answers": 5, "cpu-manager/shared-pool/loses-nothing": 1}
    assert {requirement: told["clean"]["asked"][requirement] for requirement in asked} == asked


def test_its_dump_gives_nothing_either(told):
    assert told["dump"]["findings"] == []


def test_what_is_planted_is_found(told):
    (one,) = told["planted"]["findings"]
    assert one[:2] == [RECONCILE, "the cgroup of container db-uid/main has another cpuset than is assigned"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: Path(path).name)
def test_its_program_tells_which_version_it_is(path, tmp_path):
    node = FakeNode(tmp_path, pods=())
    node.program()
    shutil.copyfile(path, node.root / "usr/bin/kubelet")
    assert look(NodeSource(node.root)).version == KubernetesVersion.parse(version_of(path))
