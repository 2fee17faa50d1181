"""Unmodified kubelets on machines that are not there."""

import os
import signal
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from kubelets import COMMAND, PATHS, needs_kubelet, needs_namespaces
from numa_conformance.asking.generators.workloads import container, guaranteed, pod
from numa_conformance.cli import main
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess, Stdio, TargetFault
from numa_conformance.wire.messages.node import (
    AdmitPod,
    ReadCheckpoints,
    ReadState,
    RemovePod,
    RestartNode,
    RunPod,
    StartNode,
)
from processes import PATIENCE, wait_until

pytestmark = [needs_namespaces]
STATIC = {
    "cpuManagerPolicy": "static",
    "reservedSystemCPUs": "0",
    "memoryManagerPolicy": "Static",
    "kubeReserved": {"memory": "512Mi"},
    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "612Mi"}}],
    "evictionHard": {"memory.available": "100Mi"},
    "topologyManagerPolicy": "single-numa-node",
}
UNSEEN = {
    "affinity",
    "alignments",
    "cpu_quota",
    "memory_state",
    "message",
    "reserved_cpus",
    "allocatable_cpus",
    "updates",
    "cpuset",  # follows in passes of its own
    "mems",
}


@pytest.fixture(scope="module", params=PATHS or [""], ids=lambda path: Path(path).name)
def kubelet(request):
    client = Client(Stdio(f"{COMMAND} {request.param}", PATIENCE))
    yield client
    client.close()


@pytest.fixture
def reference(kubelet):
    version = kubelet.description.kubernetes_version
    return Client(InProcess(lambda: ReferenceTarget("exact", version), "reference"))


def told(answer):
    """An answer without what cannot be seen of a kubelet, and without what is empty."""
    if isinstance(answer, dict):
        return {key: told(value) for key, value in answer.items() if key not in UNSEEN and value not in (None, {}, [])}
    return [told(value) for value in answer] if isinstance(answer, list) else answer


def ask(client, message):
    import msgspec

    return told(msgspec.to_builtins(client.ask(message)))


def a_life(machine, config):
    return [
        StartNode(machine_to_dict(load_machine(machine)), config),
        AdmitPod(guaranteed("a", 2)),
        RunPod("a"),
        AdmitPod(
            pod("with-init", [container("c", cpu="2", memory="64Mi")], init=[container("i", cpu="4", memory="64Mi")])
        ),
        RunPod("with-init"),
        AdmitPod(pod("shared", [container("c", requests={"memory": "64Mi"})])),
        AdmitPod(guaranteed("too-wide", 9)),
        AdmitPod(guaranteed("with-gpu", 1, **{"example.com/gpu": "2"})),
        ReadState(),
        RemovePod("a"),
        RestartNode(),
        AdmitPod(guaranteed("b", 1)),
        ReadState(),
    ]


@needs_kubelet
@pytest.mark.parametrize("policy", ["single-numa-node", "best-effort"])
@pytest.mark.parametrize("options", [{}, {"full-pcpus-only": "true"}], ids=["", "full-pcpus-only"])
@pytest.mark.parametrize("machine", ["two-nodes-devices", "two-nodes-preferring-plugin"])
def test_its_decisions_are_the_references(kubelet, reference, machine, options, policy):
    config = {**STATIC, "topologyManagerPolicy": policy, "cpuManagerPolicyOptions": options}
    for message in a_life(machine, config):
        seen, expected = ask(kubelet, message), ask(reference, message)
        if seen.get("result") == "rejected" and "qos" not in seen:
            expected.pop("qos")  # kubelets before 1.32 do not tell the class of a pod that they refuse
        assert seen == expected, message


@needs_kubelet
def test_what_every_container_may_run_on_is_told_once_a_pass_has_brought_it(kubelet):
    kubelet.ask(
        StartNode(
            machine_to_dict(load_machine("t1-one-socket-smt2")),
            {**STATIC, "memoryManagerPolicy": "None", "reservedMemory": []},
        )
    )
    kubelet.ask(AdmitPod(pod("shared", [container("c", requests={"memory": "64Mi"})])))
    assert kubelet.ask(RunPod("shared")).containers["c"].cpuset == "0-7"
    (sent,) = kubelet.ask(AdmitPod(guaranteed("own", 2))).updates
    assert (sent.uid, sent.container, sent.cpus) == ("shared", "c", "0,2-4,6-7")
    assert kubelet.ask(RunPod("own")).containers["c"].cpuset == "1,5"
    (sent,) = kubelet.ask(RemovePod("own")).updates
    assert sent.cpus == "0-7"


@needs_kubelet
def test_it_sees_the_largest_machines(kubelet):
    machine = load_machine("amd-milan-7763-nps4")
    up = kubelet.ask(
        StartNode(machine_to_dict(machine), {**STATIC, "memoryManagerPolicy": "None", "reservedMemory": []})
    )
    assert (up.default_cpuset, up.allocatable_cpus) == ("0-255", "1-255")
    assert kubelet.ask(AdmitPod(guaranteed("wide", 40))).reason == "TopologyAffinityError"
    assert kubelet.ask(AdmitPod(guaranteed("fits", 8))).containers["c"].cpus == "1-4,129-132"


@needs_kubelet
def test_a_node_that_is_cleared_answers_as_a_new_one_and_its_files_name_the_pods(kubelet):
    start = StartNode(machine_to_dict(load_machine("two-nodes-devices")), STATIC)
    lives = []
    for _ in range(2):
        lives.append([ask(kubelet, message) for message in (start, AdmitPod(guaranteed("a", 2)), ReadState())])
    assert lives[0] == lives[1]
    assert '"a":{"c":"1,9"}' in kubelet.ask(ReadCheckpoints()).checkpoints["cpu_manager_state"]


@needs_kubelet
def test_a_uid_that_was_there_before_is_mistaken_for_no_other(kubelet):
    """The second p is another one inside, under a name that nobody else may have then."""
    kubelet.ask(StartNode(machine_to_dict(load_machine("one-socket-no-smt")), STATIC))
    for _ in range(2):
        kubelet.ask(AdmitPod(guaranteed("p", 1)))
        kubelet.ask(RemovePod("p"))
    held = [kubelet.ask(AdmitPod(guaranteed(f"p-{number}", 1))).containers["c"].cpus for number in range(1, 6)]
    assert len(set(held)) == len(held)


@needs_kubelet
def test_limits_are_told_as_the_runtime_is_told_them(kubelet):
    kubelet.ask(StartNode(machine_to_dict(load_machine("one-socket-no-smt")), STATIC))
    limited = pod("p", [container("c", cpu="1500m", memory="64Mi"), container("d", requests={"cpu": "1"})])
    kubelet.ask(AdmitPod(limited))
    told = kubelet.ask(RunPod("p")).containers
    assert (told["c"].cpu_quota, told["d"].cpu_quota) == (150_000, -1)


@needs_kubelet
@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"cpuManagerPolicyOptions": {"foo": "true"}}, "foo"),
        ({"reservedSystemCPUs": "99"}, "99"),
        ({"topologyManagerPolicyOptions": {"foo": "true"}}, "foo"),
    ],
)
def test_a_kubelet_that_does_not_come_up_says_why(kubelet, reference, wrong, word):
    start = StartNode(machine_to_dict(load_machine("one-socket-no-smt")), {**STATIC, **wrong})
    failed = kubelet.ask(start)
    assert (failed.stage, word in failed.message) == (reference.ask(start).stage, True)


@needs_kubelet
def test_a_pod_that_the_api_refuses_is_refused_as_input(kubelet):
    kubelet.ask(StartNode(machine_to_dict(load_machine("one-socket-no-smt")), {}))
    resources = {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}
    with pytest.raises(TargetFault, match="must be less than or equal to cpu limit"):
        kubelet.ask(AdmitPod(pod("wrong", [{**container("c"), "resources": resources}])))


@needs_kubelet
def test_it_takes_as_many_pods_as_its_configuration_says(kubelet):
    kubelet.ask(StartNode(machine_to_dict(load_machine("one-socket-no-smt")), {"maxPods": 1}))
    assert kubelet.ask(AdmitPod(pod("first", [container("c")]))).updates == []
    assert kubelet.ask(AdmitPod(pod("more", [container("c")]))).reason == "OutOfpods"


@needs_kubelet
def test_nothing_is_left_after_a_kill():
    target = Stdio(f"{COMMAND} {PATHS[0]}", PATIENCE)
    Client(target).ask(StartNode(machine_to_dict(load_machine("one-socket-no-smt")), {}))
    process = target._process._child.pid
    kubelets = _below(process)
    assert kubelets
    os.kill(process, signal.SIGKILL)
    wait_until(lambda: not any(Path(f"/proc/{one}/exe").exists() for one in kubelets))
    assert "numa-conformance" not in Path("/proc/self/mounts").read_text()
    target.close()


def _below(process):
    """Return the processes below one."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(entry.parent.name))
    found, pending = [], [process]
    while pending:
        children = parents.get(pending.pop(), [])
        found += children
        pending += children
    return found


A_KUBELET = """#!/bin/sh
case "$1" in
    --version) echo "Kubernetes v1.36.0" ;;
    *) %s ;;
esac
"""


@pytest.fixture
def a_program(tmp_path):
    """Make a target of a program that is called like a kubelet and does something else."""
    made = []

    def make(what):
        program = tmp_path / "kubelet"
        program.write_text(A_KUBELET % what)
        program.chmod(0o755)
        made.append(Client(Stdio(f"{COMMAND} {program}", PATIENCE, quiet=True)))
        return made[0]

    yield make
    for client in made:
        client.close()


def test_a_program_that_ends_at_once_is_a_node_that_does_not_come_up(a_program):
    line = """echo 'E1122 08:00:00.000000 1 run.go:72] "command failed" err="unknown policy: \\"foo\\""'; exit 1"""
    client = a_program(line)
    failed = client.ask(StartNode(machine_to_dict(load_machine("one-cpu")), {}))
    assert failed.message == 'unknown policy: "foo"'


def test_it_says_which_version_it_is_and_what_can_be_seen(a_program):
    client = a_program("exit 1")
    about = client.description
    assert (about.version, about.kubernetes_version, about.surfaces) == ("v1.36.0", "1.36", ["node"])
    assert "cpu-manager/static" in about.features
    assert "cpu-manager/reconcile" not in about.features


def test_what_is_no_kubelet_is_told(capsys, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    for path, text in ((tmp_path / "nothing", "no such file"), (program, "says no version")):
        with pytest.raises(SystemExit) as ended:
            main(["serve", "kubelet", str(path)])
        assert (ended.value.code, text in capsys.readouterr().err) == (2, True)
