"""``numa-conformance serve pod-resources`` as a person runs it."""

import json
import signal
import subprocess
import sys

import pytest

from processes import PATIENCE

COMMAND = ["serve", "pod-resources", "--machine", "t1-one-socket-smt2", "--kubernetes-version", "1.37"]


def test_without_the_extra_it_says_what_to_install(tmp_path):
    words = [*COMMAND, "--root", str(tmp_path / "root")]
    program = f"import sys; sys.modules['grpc'] = None; from numa_conformance.cli import main; main({words!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: grpc is not installed (accepted: pip install 'numa-conformance[lab]')\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop_and_leaves_no_socket(tmp_path, number):
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")
    from served import pod

    (tmp_path / "pod.json").write_text(json.dumps(pod("a")))
    words = [sys.executable, "-m", "numa_conformance", *COMMAND, "--root", tmp_path / "root", tmp_path / "pod.json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == f"PodResources v1: {tmp_path}/root/pod-resources/kubelet.sock\n"
        assert process.stdout.readline() == f"device plugins v1beta1: {tmp_path}/root/device-plugins/kubelet.sock\n"
        assert (tmp_path / "root/pod-resources/kubelet.sock").is_socket()
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, "", "notice: default/a admitted\n")
    assert not (tmp_path / "root/pod-resources/kubelet.sock").exists()


def test_it_says_at_its_beginning_which_version_is_assumed(tmp_path):
    pytest.importorskip("grpc", reason="the extra [lab] is not installed")
    pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")
    words = [sys.executable, "-m", "numa_conformance", *COMMAND[:-2], "--root", tmp_path / "root"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline() == "notice: Kubernetes 1.37 is assumed: --kubernetes-version names another\n"
        assert process.stdout.readline().startswith("PodResources v1: ")
        process.send_signal(signal.SIGTERM)
        assert "assumed" not in process.communicate(timeout=PATIENCE)[1]
