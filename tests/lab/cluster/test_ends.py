"""However a cluster ends, nothing of it remains; and what cannot come up is said in a sentence."""

import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("cryptography", reason="the extra [lab] is not installed")
pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")

from kubernetes import client, config

from asked_in_full import DEEP
from clusters import FOLDER, needs_cluster
from kubelets import needs_namespaces
from numa_conformance.lab.cluster.control import names_of_clusters, open_cluster
from processes import PATIENCE, wait_until

pytestmark = [needs_namespaces, needs_cluster]
KILLED = 50 if DEEP else 4
UP = [sys.executable, "-m", "numa_conformance", "cluster", "up", "--binaries", FOLDER]


@pytest.fixture
def name():
    return f"ends-{uuid.uuid4().hex[:8]}"


def marked(name, **environment):
    """An environment by which all processes of a cluster are known."""
    return {**os.environ, "NUMA_TEST_MARK": name, **environment}


def processes(name):
    """Those alive that bear the mark; one that has ended has no environment any more."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"NUMA_TEST_MARK={name}".encode() in (place / "environ").read_bytes():
                found.append(place.name)
        except OSError:
            continue
    return found


def left():
    """What a cluster could leave where all see it: mounts, and files beside where its own lie."""
    mounts = Path("/proc/self/mounts").read_text().count("numa-conformance")
    return mounts, Path("/dev/shm/numa-conformance").exists()


def is_gone(name):
    return not processes(name) and name not in names_of_clusters()


def start(name, *words, **popen):
    return subprocess.Popen(
        [*UP, "--name", name, *words],
        env=marked(name),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **popen,
    )


def wait_until_up(process):
    assert any(line.startswith("export KUBECONFIG=") for line in process.stdout)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_remains_after_a_signal(name, number):
    before = left()
    with start(name) as process:
        wait_until_up(process)
        assert len(processes(name)) > 6
        process.send_signal(number)
        assert process.wait(PATIENCE) == (-number if number == signal.SIGKILL else 0)
    wait_until(lambda: is_gone(name))
    assert left() == before


def test_nothing_remains_when_it_is_killed_at_any_moment(name):
    before = left()
    draw = random.Random(5)
    for number in range(KILLED):
        with start(f"{name}{number}") as process:
            time.sleep(draw.uniform(0, 6))
            process.kill()
        wait_until(lambda number=number: is_gone(f"{name}{number}"))
    assert left() == before


def test_it_ends_with_its_parent(name):
    script = f"import subprocess, sys, time; subprocess.Popen({[*UP, '--name', name]!r}); time.sleep(3600)"
    with subprocess.Popen(
        [sys.executable, "-c", script], env=marked(name), stdout=subprocess.PIPE, text=True
    ) as parent:
        wait_until_up(parent)
        parent.kill()
        wait_until(lambda: is_gone(name))


def test_in_the_background_it_stays_until_down(name):
    words = [*UP, "--name", name, "--background"]
    done = subprocess.run(words, env=marked(name), capture_output=True, text=True, check=True, timeout=PATIENCE)
    kubeconfig = next(line for line in done.stdout.splitlines() if line.startswith("export KUBECONFIG=")).split("=")[1]
    assert stat.S_IMODE(os.stat(kubeconfig).st_mode) == 0o600
    with open_cluster(name) as cluster:
        assert [node["ready"] for node in cluster.ask("status")["nodes"]] == [True, True]
    subprocess.run([sys.executable, "-m", "numa_conformance", "cluster", "down", name], check=True, timeout=PATIENCE)
    wait_until(lambda: is_gone(name))
    assert not Path(kubeconfig).exists()


def test_a_program_on_a_node_ends_with_the_cluster(name):
    with start(name) as process:
        wait_until_up(process)
        command = [
            sys.executable,
            "-m",
            "numa_conformance",
            "cluster",
            "exec",
            "--name",
            name,
            "milan",
            "--",
            "sleep",
            "3600",
        ]
        with subprocess.Popen(command, env=marked(name)) as program:
            wait_until(lambda: any(Path(f"/proc/{one}/comm").read_text() == "sleep\n" for one in processes(name)))
            process.kill()
            assert program.wait(PATIENCE) == 128 + signal.SIGKILL
    wait_until(lambda: is_gone(name))


def test_a_control_plane_that_dies_ends_it_with_a_sentence(name):
    with start(name) as process:
        wait_until_up(process)
        with open_cluster(name) as cluster:
            os.kill(cluster.ask("status")["programs"]["etcd"], signal.SIGKILL)
        said = process.stdout.read()
        assert process.wait(PATIENCE) == 3
    assert "error: etcd has ended" in said
    wait_until(lambda: is_gone(name))


def test_a_kubelet_that_dies_is_told_and_the_others_stay(name):
    with start(name) as process:
        wait_until_up(process)
        with open_cluster(name) as cluster:
            os.kill(cluster.ask("status")["nodes"][0]["process"], signal.SIGKILL)
            assert any("the kubelet of node milan has ended" in line for line in process.stdout)
            assert cluster.ask("status")["nodes"][1]["ready"]
        process.terminate()


def test_a_name_is_for_one_cluster(name):
    with start(name) as process:
        wait_until_up(process)
        again = subprocess.run([*UP, "--name", name], capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert (again.returncode, again.stdout) == (2, "")
        assert f"a cluster {name!r} is up" in again.stderr
        process.terminate()


def test_a_port_in_use_is_not_a_failure(name):
    """Somebody takes the ports of etcd and the API server between choice and use: others are chosen then."""
    taken = [socket.socket() for _ in range(3)]
    for one in taken:
        one.bind(("127.0.0.1", 0))
        one.listen()
    ports = [one.getsockname()[1] for one in taken]
    script = (
        "import numa_conformance.lab.cluster.cluster as c; free = c.free_ports; chosen = [{ports!r}]\n"
        "c.free_ports = lambda count: chosen.pop() if chosen and count == 3 else free(count)\n"
        "from numa_conformance.cli import main; main({words!r})"
    ).format(ports=ports, words=[*UP[3:], "--name", name])
    with subprocess.Popen(
        [sys.executable, "-c", script], env=marked(name), stdout=subprocess.PIPE, text=True
    ) as process:
        wait_until_up(process)
        process.terminate()
    for one in taken:
        one.close()


def test_programs_that_are_missing_are_named(tmp_path):
    (tmp_path / "etcd").symlink_to(Path(FOLDER, "etcd"))
    done = subprocess.run(
        [*UP[:5], "--binaries", tmp_path], capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 2
    missing = "kube-apiserver, kube-controller-manager, kube-scheduler, kubelet"
    assert done.stderr.startswith(f"error: {missing}: not found in {tmp_path}")


def test_a_program_that_ends_at_once_is_told_with_its_last_words(name, tmp_path):
    for place in Path(FOLDER).iterdir():
        (tmp_path / place.name).symlink_to(place)
    (tmp_path / "kube-scheduler").unlink()
    script = tmp_path / "kube-scheduler"
    script.write_text("#!/bin/sh\necho 'Error: no plugin of this name' >&2\nexit 1\n")
    script.chmod(0o755)
    words = [*UP[:5], "--binaries", tmp_path, "--name", name]
    done = subprocess.run(words, env=marked(name), capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 3
    assert "error: kube-scheduler has ended: Error: no plugin of this name" in done.stderr
    wait_until(lambda: is_gone(name))


@pytest.mark.skipif(os.geteuid() != 0, reason="another user's rights can be taken by root alone")
def test_it_works_without_root(name, tmp_path):
    if shutil.which("setpriv") is None:
        pytest.skip("there is no setpriv here, which takes another user's rights")
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    if subprocess.run([*words, *UP[:3], "--version"], capture_output=True, check=False, timeout=PATIENCE).returncode:
        pytest.skip("this checkout, or its Python, is not readable for another user")
    environment = marked(name, HOME=str(tmp_path))
    with subprocess.Popen([*words, *UP, "--name", name], env=environment, stdout=subprocess.PIPE, text=True) as process:
        kubeconfig = (
            next(line for line in process.stdout if line.startswith("export KUBECONFIG=")).split("=")[1].strip()
        )
        limits = {"cpu": "4", "memory": "1Gi"}
        spec = {"containers": [{"name": "c", "image": "example", "resources": {"limits": limits}}]}
        with config.new_client_from_config(kubeconfig) as connection:
            api = client.CoreV1Api(connection)
            api.create_namespaced_pod("default", {"metadata": {"name": "p"}, "spec": spec})
            wait_until(lambda: api.read_namespaced_pod("p", "default").status.phase == "Running")
        process.terminate()
    wait_until(lambda: is_gone(name))


def test_a_full_disk_is_told_in_a_sentence(name):
    """The cluster's files lie in memory: here in less than etcd takes."""
    script = (
        "import numa_conformance.lab.cluster.cluster as c; c._MEBIBYTES, c._MEBIBYTES_EACH = 16, 0\n"
        f"from numa_conformance.cli import main; main({[*UP[3:], '--name', name]!r})"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=marked(name), capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 3
    (said,) = done.stderr.splitlines()
    assert said.startswith("error: etcd has ended: ")
    assert "no space left on device" in said
    wait_until(lambda: is_gone(name))


@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no unshare here")
def test_a_system_without_namespaces_is_told_of_in_a_sentence(name):
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces; echo 0 > /proc/sys/user/max_mnt_namespaces; exec "$@"'
    words = ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh", *UP, "--name", name]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr.startswith("error: this system does not let you have mounts of your own")


def test_too_few_inotify_instances_are_told_before_the_start(tmp_path):
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text("[{nodes: 'n-*', count: 500, machine: one-cpu}]")
    allowed = int(Path("/proc/sys/fs/inotify/max_user_instances").read_text())
    if allowed >= 2500:
        pytest.skip(f"this system allows {allowed} inotify instances, enough for 500 kubelets")
    done = subprocess.run([*UP, str(nodes)], capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: fs.inotify.max_user_instances: is {allowed}; 500 kubelets need 5 each")
    assert "sysctl fs.inotify.max_user_instances=8192" in done.stderr


def test_many_ask_at_once(name):
    with start(name) as process:
        wait_until_up(process)
        told = []

        def ask():
            with open_cluster(name) as cluster:
                told.append(len(cluster.ask("status")["nodes"]))

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert told == [2] * 20
        process.terminate()
