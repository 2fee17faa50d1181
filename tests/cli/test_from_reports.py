"""What people ask in public reports: from their configuration and their pods to the answer, one command each."""

import json

import pytest

HEAD = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
SMALL = "--machine t1-one-socket-smt2"
"""8 CPUs, 8 GiB, no huge pages."""


def pod(limits, name="job", **more):
    """Return a pod of one container; ``more`` is of its spec, requests of the container among it."""
    resources = {"limits": limits, **({"requests": more.pop("requests")} if "requests" in more else {})}
    spec = {"containers": [{"name": "main", "resources": resources}], **more}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})


def listed(*pods):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [json.loads(each) for each in pods]})


def kubelet(**fields):
    return json.dumps({**HEAD, **fields})


RESTRICTED = {"topologyManagerPolicy": "restricted"}
STATIC = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
TWO_NODES = "name: two\nsockets: 2\ncoresPerNuma: 6\nmemory: 16Gi\ndevices: [{resource: example.com/nic, perNuma: 1}]\n"
SIX_NODES = """name: six
sockets: 2
numaPerSocket: 3
coresPerNuma: 8
memory: 32Gi
devices: [{resource: example.com/gpu, perNuma: 1}]
"""
EIGHT_NODES = SIX_NODES.replace("numaPerSocket: 3\ncoresPerNuma: 8", "numaPerSocket: 4\ncoresPerNuma: 16\nthreads: 2")
SICK = (
    "name: sick\ncoresPerNuma: 4\nmemory: 8Gi\ndevices: [{resource: example.com/gpu, id: a, numa: 0, healthy: false}]\n"
)
NONE = SICK.partition("devices")[0] + "devicePlugins: {example.com/gpu: {}}\n"
SPREAD = {
    "cpuManagerPolicy": "static",
    "cpuManagerPolicyOptions": {"align-by-socket": "true", "distribute-cpus-across-numa": "true"},
    "featureGates": {"CPUManagerPolicyAlphaOptions": True},
    **RESTRICTED,
    "kubeReserved": {"cpu": "1"},
}
FOUR_NODES = json.dumps(
    {
        "name": "interleaved",
        "groups": [
            {"cpus": ",".join(map(str, range(first, 56, 4))), "numa": numa, "socket": numa // 2, "threads": 2}
            for numa, first in enumerate((0, 2, 1, 3))
        ],
        "memory": "32Gi",
    }
)
GATE = "InPlacePodVerticalScalingExclusiveCPUs"
RESIZED = listed(*(pod({"cpu": cpus, "memory": "128Mi"}) for cpus in ("1", "3")))

CASES = {
    "memory is reserved above what there is": (
        {"config": kubelet(systemReserved={"memory": "10Gi"}), "pod": pod({"cpu": "1"})},
        f"simulate {SMALL} --config config pod",
        (2, 'Resource "memory" has a reservation of 10340Mi but capacity of 8Gi. Expected capacity >= reservation.'),
    ),
    "CPUs are reserved above what there is": (
        {"config": kubelet(kubeReserved={"cpu": "5"}, systemReserved={"cpu": "4"})},
        f"lint {SMALL} config",
        (1, "kubeReserved.cpu: refused: cpu 9 is reserved (kubeReserved 5 + systemReserved 4)"),
    ),
    "all CPUs may be reserved": (
        {"config": kubelet(systemReserved={"cpu": "8"})},
        f"lint {SMALL} config",
        (0, "nothing to say"),
    ),
    "a critical pod comes to a full node": (
        {"pods": listed(pod({"cpu": "7"}, "app"), pod({"cpu": "2"}, "agent", priority=2_000_001_000))},
        f"simulate {SMALL} pods",
        (1, "default/app (Burstable): admitted, then ended for default/agent (Preempting)"),
    ),
    "a remedy keeps what fits": (
        {"two.yaml": TWO_NODES, "pod": pod({"cpu": "9", "memory": "3Gi", "example.com/nic": "2"})},
        "simulate --machine two.yaml --flags --cpu-manager-policy=static\\ --reserved-cpus=0"
        "\\ --topology-manager-policy=single-numa-node pod",
        (1, "\n      with 6 CPUs in place of 9 and 1 example.com/nic in place of 2\n"),
    ),
    "a larger request fits": (
        {
            "six.yaml": SIX_NODES,
            "config": kubelet(**{**STATIC, "reservedSystemCPUs": "0,8,16,24,32,40", **RESTRICTED}),
            "pod": pod({"cpu": "40", "memory": "50Gi", "example.com/gpu": "6"}),
        },
        "simulate --machine six.yaml --config config pod",
        (
            1,
            "the fewest that could hold it on an empty machine, where reserved CPUs count as free; "
            "example.com/gpu could come from 0+1+2+3+4+5, cpu could come from none of the fewest, 6 together have it",
            "would be admitted (each was tried):\n      with 41 CPUs in place of 40\n",
        ),
    ),
    "a field that no kubelet knows": (
        {"config": kubelet(cpuManagerPolicy="static", reservedCPUs="0-2", systemReserved={"cpu": "3"}),
         "pod": pod({"cpu": "2", "memory": "1Gi"})},
        f"simulate {SMALL} --config config pod",
        (0, "the kubelet passes over reservedCPUs; did you mean 'reservedSystemCPUs'?", "reserved: 0-1,4"),
    ),
    "a resize that is granted gives nothing": (
        {"pods": RESIZED},
        f"simulate {SMALL} --kubernetes-version 1.34 --flags --cpu-manager-policy=static\\ --reserved-cpus=0"
        f"\\ --feature-gates={GATE}=true pods",
        (0, "resized in place\n    main: exclusive CPUs 4 (asks for 3 CPUs, has 1: with", "kubernetes#140031"),
    ),
    "none of a resource without a healthy device": (
        {"sick.yaml": SICK, "pod": pod({"cpu": "1", "memory": "1Gi", "example.com/gpu": "0"})},
        "simulate --explain --machine sick.yaml pod",
        (
            1,
            "would be admitted (each was tried):\n      without example.com/gpu\n",
            "by quirk zero-devices-need-a-healthy-one (kubernetes/kubernetes#128854): ",
        ),
    ),
    "none of a resource whose plugin offers nothing": (
        {"none.yaml": NONE, "pod": pod({"cpu": "1", "memory": "1Gi", "example.com/gpu": "0"})},
        "simulate --machine none.yaml pod",
        (1, "no healthy devices present", "would be admitted (each was tried):\n      without example.com/gpu\n"),
    ),
    "the same before 1.27.2": (
        {"sick.yaml": SICK, "pod": pod({"cpu": "1", "memory": "1Gi", "example.com/gpu": "0"})},
        "simulate --machine sick.yaml --kubernetes-version 1.27.1 pod",
        (0, "default/job (Guaranteed): admitted"),
    ),
    "a gate that this version does not have": (
        {"config": kubelet(featureGates={"CSIMigrationGCE": True})},
        "lint --kubernetes-version 1.36 config",
        (1, "refused: unrecognized feature gate: CSIMigrationGCE"),
    ),
    "huge pages on a machine without any": (
        {"pod": pod({"cpu": "1", "memory": "1Gi", "hugepages-1Gi": "2Gi"})},
        f"simulate {SMALL} pod",
        (
            1,
            "OutOfhugepages-1Gi: Node didn't have enough resource: hugepages-1Gi, requested: 2147483648, used: 0, "
            "capacity: 0",
            "(each was tried):\n      on a machine with 2 more huge pages of 1Gi on NUMA node 0\n      without huge",
        ),
    ),
    "an init container asks for what the node lacks, up to 1.30": (
        {"pod": pod({"cpu": "1"}, initContainers=[
            {"name": "first", "resources": {"limits": {"example.com/none": "2"}}}])},
        f"simulate {SMALL} --kubernetes-version 1.29 pod",
        (1, "OutOfexample.com/none: Node didn't have enough resource: example.com/none, requested: 2, used: 0"),
    ),
    "CPUs by number are named as lscpu does": (
        {"groups.yaml": 'name: g\ngroups: [{cpus: "0-7,16-23", numa: 0, socket: 0, threads: 2}]\nmemory: 8Gi\n',
         "config": kubelet(cpuManagerPolicy="static", systemReserved={"cpu": "2"}),
         "pod": pod({"cpu": "4", "memory": "1Gi"})},
        "simulate --machine groups.yaml --config config pod",
        (0, "exclusive CPUs 1-2,17-18", "reserved: 0,16", "siblings of the CPUs 0-7,16-23; assumed: offset"),
    ),
    "an odd container is spread over two sockets up to 1.36": (
        {"four.yaml": FOUR_NODES, "config": kubelet(**{**SPREAD, "topologyManagerPolicy": "none"}),
         "pod": pod({"cpu": "15", "memory": "1Gi"})},
        "simulate --machine four.yaml --kubernetes-version 1.36 --config config pod",
        (0, "exclusive CPUs 1-2,5-6,9-10,13-14,29-30,33-34,37-38,42"),
    ),
    "and over one from 1.37 on, by a change that is named": (
        {"four.yaml": FOUR_NODES, "config": kubelet(**{**SPREAD, "topologyManagerPolicy": "none"}),
         "pod": pod({"cpu": "15", "memory": "1Gi"})},
        "simulate --explain --machine four.yaml --kubernetes-version 1.37 --config config pod",
        (0, "exclusive CPUs 1,3,5,7,9,11,13,15,29,", "by change distribution-keeps-to-sockets of 1.37 (kubernetes/kub"),
    ),
    "CPUs leave the NUMA nodes of the GPUs, by a quirk that is named": (
        {"eight.yaml": EIGHT_NODES, "config": kubelet(**SPREAD),
         "pod": pod({"cpu": "140", "memory": "4Gi", "example.com/gpu": "5"})},
        "simulate --explain --machine eight.yaml --config config pod",
        (0, "by quirk align-by-socket-leaves-hinted-nodes (kubernetes/kubernetes#122295): "),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_reported_is_answered(name, run, tmp_path, monkeypatch):
    written, command, (code, *texts) = CASES[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    for file, text in written.items():
        (tmp_path / file).write_text(text)
    words = [word.replace("\0", " ") for word in command.replace("\\ ", "\0").split()]
    ended, out, err = run(*words)
    assert (ended, [text for text in texts if text not in out + err]) == (code, []), out + err


def test_what_the_pages_give_names_no_quirk(run, files):
    config = files("config", kubelet(**STATIC, **RESTRICTED))
    _, out, _ = run("simulate", "--explain", *SMALL.split(), "--config", config, files("pod", pod({"cpu": "2"})))
    assert "by quirk" not in out
    assert "by change" not in out


def test_a_program_reads_what_is_behind_an_outcome_and_what_a_resize_left(run, files):
    flags = f"--cpu-manager-policy=static --reserved-cpus=0 --feature-gates={GATE}=true"
    _, out, _ = run("simulate", "--json", *SMALL.split(), "--kubernetes-version", "1.34", "--flags", flags,
                    files("pods", RESIZED))  # fmt: skip
    first, then = json.loads(out)["pods"]
    assert "otherAmounts" not in first
    assert then["otherAmounts"]["main"].startswith("asks for 3 CPUs, has 1: ")
    zero = files("zero", pod({"cpu": "1", "memory": "1Gi", "example.com/gpu": "0"}))
    _, out, _ = run("simulate", "--json", "--explain", "--machine", files("sick.yaml", SICK), zero)
    (refused,) = json.loads(out)["pods"]
    assert refused["departures"] == ["zero-devices-need-a-healthy-one"]
    assert refused["advice"]["wouldBeAdmitted"] == [
        {"text": "without example.com/gpu", "change": {"example.com/gpu": "none"}}
    ]


@pytest.mark.parametrize(
    ("before", "after", "version", "text"),
    [
        ("1500m", "2", "1.37", "asks for 2 CPUs, has none of its own"),
        ("1500m", "2", "1.34", ""),  # what a container lacks was given then
        ("2", "1500m", "1.37", "asks for 1500m CPUs, has 2"),
        ("2", "2", "1.37", ""),
    ],
)
def test_a_resize_between_shared_and_exclusive_cpus_says_what_it_moves(run, files, before, after, version, text):
    pods = [pod({"cpu": cpus, "memory": memory}) for cpus, memory in ((before, "128Mi"), (after, "256Mi"))]
    flags = f"--cpu-manager-policy=static --reserved-cpus=0 --feature-gates={GATE}=true"
    asked = ["--kubernetes-version", version, "--flags", flags, files("pods", listed(*pods))]
    code, out, _ = run("simulate", *SMALL.split(), *asked)
    assert (code, text in out, "asks for" in out) == (0, True, bool(text))


def test_memory_that_is_resized_and_pinned_stays_as_it_is(run, files):
    config = kubelet(
        memoryManagerPolicy="Static",
        kubeReserved={"memory": "412Mi"},
        reservedMemory=[{"numaNode": 0, "limits": {"memory": "512Mi"}}],
        featureGates={"InPlacePodVerticalScalingExclusiveMemory": True},
    )
    pods = listed(*(pod({"cpu": "1", "memory": memory}) for memory in ("1Gi", "2Gi")))
    asked = ["--kubernetes-version", "1.34", "--config", files("config", config), files("pods", pods)]
    _, out, _ = run("simulate", *SMALL.split(), *asked)
    assert "asks for 2Gi memory, has 1Gi: with InPlacePodVerticalScalingExclusiveMemory" in " ".join(out.split())
