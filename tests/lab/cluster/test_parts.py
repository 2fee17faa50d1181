"""The parts of a cluster of which none needs the programs."""

import json
import os
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import threading

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("cryptography", reason="the extra [lab] is not installed")

from numa_conformance.cli.app import main
from numa_conformance.errors import UsageError
from numa_conformance.lab.cluster import binaries
from numa_conformance.lab.cluster.binaries import PROGRAMS, build_release, cached_release, find_binaries, skew_notices
from numa_conformance.lab.cluster.control import Control, names_of_clusters, open_cluster
from numa_conformance.lab.cluster.control_plane import Authority
from numa_conformance.lab.cluster.pods import PodWatch, is_decided, refusal_of
from numa_conformance.lab.cluster.programs import last_words
from numa_conformance.lab.cluster.record import Recorder
from numa_conformance.lab.kubelet.process import free_ports
from processes import PATIENCE, runs, wait_until


def program(folder, name, says="Kubernetes v1.37.1"):
    place = folder / name
    place.write_text(f"#!/bin/sh\necho '{says}'\n")
    place.chmod(0o755)
    return place


def test_programs_are_found_in_a_folder_then_in_the_assets_then_in_the_path(tmp_path, monkeypatch):
    for place in ("given", "assets", "path"):
        (tmp_path / place).mkdir()
    for name in PROGRAMS:
        program(tmp_path / "path", name)
    program(tmp_path / "assets", "etcd")
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path / "assets"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    mine = program(tmp_path / "given", "my-scheduler")
    found = find_binaries(None, {"kube-scheduler": mine})
    assert (found.etcd, found.scheduler) == (str(tmp_path / "assets" / "etcd"), str(mine))
    assert found.apiserver == str(tmp_path / "path" / "kube-apiserver")
    with pytest.raises(UsageError, match=r"etcd, kube-apiserver, .*: not found in"):
        find_binaries(tmp_path / "given", {})


def test_only_what_is_neither_named_nor_in_the_folder_is_built(tmp_path):
    mine, etcd = program(tmp_path, "my-kubelet"), program(tmp_path, "etcd")
    built = []

    def build(names):
        built.extend(names)
        return {name: f"/built/{name}" for name in names}

    found = find_binaries(tmp_path, {"kubelet": mine}, build)
    assert (found.kubelet, found.etcd, found.apiserver) == (str(mine), str(etcd), "/built/kube-apiserver")
    assert built == ["kube-apiserver", "kube-controller-manager", "kube-scheduler"]


@pytest.mark.parametrize(("minor", "told"), [(37, 0), (36, 1), (34, 1)])
def test_a_kubelet_may_be_three_minors_older(tmp_path, minor, told):
    kubelet = program(tmp_path, "kubelet", f"Kubernetes v1.{minor}.4")
    notices = skew_notices(str(program(tmp_path, "kube-apiserver")), [str(kubelet)])
    assert len(notices) == told
    assert all("within Kubernetes' version skew" in notice for notice in notices)


@pytest.mark.parametrize("minor", [33, 38])
def test_a_kubelet_that_is_too_old_or_newer_is_refused(tmp_path, minor):
    kubelet = program(tmp_path, "kubelet", f"Kubernetes v1.{minor}.4")
    with pytest.raises(UsageError, match=rf"is of 1\.{minor}, the API server of 1\.37"):
        skew_notices(str(program(tmp_path, "kube-apiserver")), [str(kubelet)])


def test_a_release_that_is_none_is_refused_and_one_in_the_cache_is_not_built(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match=r"a release of Kubernetes, as 1\.37\.1"):
        build_release("newest", print)
    with pytest.raises(UsageError, match="needs Go"):
        build_release("1.37.1", print)
    folder = cached_release("1.37.1")
    folder.mkdir(parents=True)
    for name in PROGRAMS:
        program(folder, name)
    assert build_release("v1.37.1", print) == {name: str(folder / name) for name in PROGRAMS}


def test_a_server_and_a_client_of_one_authority_believe_each_other_and_nobody_else(tmp_path):
    own, other = Authority("own"), Authority("other")
    server = own.issue("server", hosts=("127.0.0.1",)).write(tmp_path, "server")
    authority, _ = own.signed.write(tmp_path, "ca")
    assert _shake_hands(authority, server, own.issue("me", ("people",)).write(tmp_path, "me")) == [("people", "me")]
    assert _shake_hands(authority, server, other.issue("me").write(tmp_path, "stranger")) == []
    assert {stat.S_IMODE(place.stat().st_mode) for place in tmp_path.iterdir()} == {0o600}


def _shake_hands(authority, server, client):
    """Return the group and the name by which the server knows the client, nothing where it does not."""
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority)
    served.load_cert_chain(*server)
    served.verify_mode = ssl.CERT_REQUIRED
    asking = ssl.create_default_context(cafile=authority)
    asking.load_cert_chain(*client)
    known = []
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def serve():
            plain, _ = listening.accept()
            with plain:
                try:
                    with served.wrap_socket(plain, server_side=True) as channel:
                        subject = dict(pair for (pair,) in channel.getpeercert()["subject"])
                        known.append((subject.get("organizationName"), subject["commonName"]))
                except ssl.SSLError:
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        with socket.create_connection(listening.getsockname()) as plain:
            try:
                with asking.wrap_socket(plain, server_hostname="127.0.0.1") as channel:
                    channel.recv(1)
            except OSError:
                pass
        thread.join()
    return known


def test_a_kubeconfig_needs_no_other_file():
    config = json.loads(Authority("ca").kubeconfig("https://127.0.0.1:1", "admin", ("system:masters",)))
    assert config["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:1"
    assert {"client-certificate-data", "client-key-data"} == config["users"][0]["user"].keys()


def test_a_cluster_is_asked_by_its_name_and_gone_with_its_socket():
    name = f"unit-test-{os.getpid()}"
    script = (
        "import sys; from numa_conformance.lab.cluster.control import Control\n"
        "control = Control(sys.argv[1]); control.serve({'status': lambda: {'up': True}})\n"
        "print('serves', flush=True); sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", script, name], **pipes) as process:
        assert process.stdout.readline() == "serves\n"
        with open_cluster(name) as cluster:
            assert cluster.ask("status") == {"up": True}
            assert cluster.process == process.pid
            process.stdin.close()
            assert cluster.wait_for_its_end(PATIENCE)
    assert name not in names_of_clusters()
    with pytest.raises(UsageError, match=f"no cluster '{name}' is up"):
        open_cluster(name)


class Server:
    """Lists one pod, and tells of another and of what is none."""

    def ask(self, path):
        return {"items": [{"metadata": {"uid": "a"}, "spec": 7}], "metadata": {"resourceVersion": "1"}}

    def watch(self, path):
        yield {"type": "ADDED", "object": {"metadata": {"uid": "b"}, "spec": {}}}
        yield from ([], {}, 7)
        raise AssertionError("it is watched after what is no event")


def test_what_an_api_server_tells_of_no_form_ends_neither_the_watch_nor_the_record():
    recorder = Recorder({})
    watch = PodWatch(Server(), recorder.hear)
    assert (watch.pod("a"), watch.pod("b")) != (None, None)
    assert recorder.text() == ""
    watch.close()
    name = f"hostile-server-{os.getpid()}"
    Control(name).serve({"pods": lambda: watch.pods()[0]["spec"]["nodeName"]})
    with open_cluster(name) as cluster:
        for verb, error in (("pods", "TypeError"), ("none", "KeyError")):
            with pytest.raises(UsageError, match=f"{verb}: has no answer: {error}"):
                cluster.ask(verb)


def test_a_name_that_is_none_is_refused():
    with pytest.raises(UsageError, match="at most 40 letters"):
        Control("a/b")


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (
            'I1123 03:00:00.1 1 a.go:1] fine\nE1123 03:00:00.2 1 b.go:2] "it broke"\nI1123 03:00:00.3 1 c.go:3] bye\n',
            "it broke",
        ),
        (
            '{"level":"info","msg":"a"}\n{"level":"fatal","msg":"cannot listen","error":"in use"}\n',
            "cannot listen: in use",
        ),
        ("usage: x\nError: unknown flag: --y\n", "Error: unknown flag: --y"),
        ("", "it said nothing"),
    ],
)
def test_the_last_words_of_a_log(tmp_path, log, words):
    (tmp_path / "log").write_text(log)
    assert last_words(tmp_path / "log") == words


def test_free_ports_are_different():
    assert len(set(free_ports(20))) == 20


def test_what_a_pod_has_come_to():
    running = {"spec": {"nodeName": "n", "containers": [{}]}, "status": {"phase": "Running"}}
    assert not is_decided(running)
    running["status"]["containerStatuses"] = [{"state": {"running": {}}}]
    assert is_decided(running)
    refused = {
        "spec": {"nodeName": "n"},
        "status": {"phase": "Failed", "reason": "R", "message": "Pod was rejected: m"},
    }
    assert (is_decided(refused), refusal_of(refused)) == (True, ("R", "m"))
    failed = {"spec": {"nodeName": "n"}, "status": {**refused["status"], "containerStatuses": [{}]}}
    assert refusal_of(failed) is None
    assert not is_decided({"spec": {}, "status": {}})


def test_too_few_inotify_instances_are_told_before_anything_is_built(tmp_path, monkeypatch, capfd):
    (tmp_path / "instances").write_text("128\n")
    monkeypatch.setattr(binaries, "_INSTANCES", tmp_path / "instances")
    (tmp_path / "nodes.yaml").write_text("[{nodes: 'n-*', count: 30, machine: one-cpu}]")
    with pytest.raises(SystemExit, match="2"):
        main(["cluster", "up", str(tmp_path / "nodes.yaml"), "--release", "1.37.1"])
    assert "30 kubelets need 5 each" in (told := capfd.readouterr().err)
    assert "sysctl fs.inotify.max_user_instances=8192, or fewer nodes" in told


GO = """#!/bin/sh
case "$1" in
mod) mkdir -p "$TESTED/cache/download/k8s.io/kubernetes/@v"
     echo "go 1.24" > "$TESTED/cache/download/k8s.io/kubernetes/@v/v1.37.1.mod";;
env) echo "$TESTED";;
build) echo k8s.io/one >&2; echo k8s.io/two >&2
       [ -z "$STAYS" ] || { echo $$ > "$STAYS.tmp"; mv "$STAYS.tmp" "$STAYS"; exec sleep 86400; }
       while [ "$1" != -o ]; do shift; done; touch "$GOTMPDIR/left" "$2";;
esac
"""


@pytest.fixture
def go(tmp_path, monkeypatch):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "go").write_text(GO)
    (folder / "go").chmod(0o755)
    for name in ("tested", "temporary"):
        (tmp_path / name).mkdir()
    variables = {"XDG_CACHE_HOME": tmp_path / "cache", "TESTED": tmp_path / "tested", "TMPDIR": tmp_path / "temporary"}
    for name, value in {**variables, "PATH": f"{folder}:{os.environ['PATH']}"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_what_is_built_shows_its_progress_and_leaves_programs_alone(go):
    told = {}

    def progress(lines, what):
        told[what] = [line.strip() for line in lines]
        return told[what]

    build_release("1.37.1", lambda text: None, ["etcd", "kubelet"], progress)
    assert told == {f"building {name}": ["k8s.io/one", "k8s.io/two"] for name in ("etcd", "kubelet")}
    assert sorted(path.name for path in cached_release("1.37.1").iterdir()) == ["etcd", "kubelet"]
    assert not list((go / "temporary").iterdir())


def test_a_build_that_is_killed_ends_and_leaves_nothing(go, monkeypatch):
    stays = go / "stays"
    monkeypatch.setenv("STAYS", str(stays))
    known = go / "known"  # once it is known what to kill, lines are passed on
    script = f"""
from pathlib import Path
from numa_conformance.lab.cluster.binaries import PROGRAMS, build_release
build_release('1.37.1', print, PROGRAMS, lambda lines, what: (Path({str(known)!r}).touch(), lines)[1])
"""
    with subprocess.Popen([sys.executable, "-c", script]) as builder:
        wait_until(lambda: stays.exists() and known.exists())
        builder.kill()
    wait_until(lambda: not list((go / "temporary").iterdir()) and not runs(int(stays.read_text())))
    assert not list(cached_release("1.37.1").iterdir())
