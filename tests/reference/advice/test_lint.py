"""What a kubelet refuses, what is unwise and what has no effect, each with its field and what to do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import StartError
from numa_conformance.kube import KubeletConfiguration, validate
from numa_conformance.machine import load_machine
from numa_conformance.reference.advice import Remark, lint
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion

MACHINE = load_machine("t3-two-numa-per-socket")
STATIC = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0,16"}
FULL = {"cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}
ALPHA = {"featureGates": {"CPUManagerPolicyAlphaOptions": True}}


def found(fields: dict[str, object], machine: str | None = MACHINE.name, version: str = "1.32") -> list[Remark]:
    known = KubernetesVersion.parse(version)
    config = KubeletConfiguration.from_dict(fields)
    return lint(config, known, Quirks.of(known), load_machine(machine) if machine else None)


@pytest.mark.parametrize(
    ("fields", "place", "remedy"),
    [
        ({"cpuManagerPolicy": "statik"}, "cpuManagerPolicy", "did you mean static?"),
        ({"cpuManagerPolicy": "static"}, "reservedSystemCPUs", "set reservedSystemCPUs, or kubeReserved.cpu"),
        (FULL, "cpuManagerPolicyOptions", "set cpuManagerPolicy: static, or leave them out"),
        (
            {**STATIC, "cpuManagerPolicyOptions": {"full-pcpu-only": "true"}},
            "cpuManagerPolicyOptions.full-pcpu-only",
            "did you mean full-pcpus-only?",
        ),
        (
            {**STATIC, "cpuManagerPolicyOptions": {"full-pcpus-only": "yes"}},
            "cpuManagerPolicyOptions.full-pcpus-only",
            'accepted: "true" or "false"',
        ),
        (
            {**STATIC, "cpuManagerPolicyOptions": {"align-by-socket": "true"}},
            "cpuManagerPolicyOptions.align-by-socket",
            "set featureGates.CPUManagerPolicyAlphaOptions: true",
        ),
        (
            {
                **STATIC,
                **ALPHA,
                "cpuManagerPolicyOptions": {"full-pcpus-only": "true", "distribute-cpus-across-cores": "true"},
            },
            "cpuManagerPolicyOptions",
            "leave one of them out",
        ),
        ({"topologyManagerPolicy": "single-numa"}, "topologyManagerPolicy", "did you mean single-numa-node?"),
        (
            {"topologyManagerPolicy": "restricted", "topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "2"}},
            "topologyManagerPolicyOptions.max-allowable-numa-nodes",
            "",
        ),
        ({"memoryManagerPolicy": "static"}, "memoryManagerPolicy", "did you mean Static?"),
        (
            {"memoryManagerPolicy": "Static", "evictionHard": {"memory.available": "0%"}},
            "reservedMemory",
            "reserve memory by kubeReserved.memory",
        ),
        ({"kubeReserved": {"cpus": "1"}}, "kubeReserved.cpus", "did you mean cpu?"),
        ({"kubeReserved": {"memory": "-1"}}, "kubeReserved.memory", "accepted: 0 or more"),
        ({"reservedSystemCPUs": "0-"}, "reservedSystemCPUs", "accepted: a list such as 0-3,8"),
    ],
)
def test_what_is_refused_is_named_with_its_remedy_on_any_machine(
    fields: dict[str, object], place: str, remedy: str
) -> None:
    for machine in (None, MACHINE.name):
        (one,) = [one for one in found(fields, machine) if one.kind == "refused"]
        assert (one.place, one.remedy[: len(remedy)]) == (place, remedy)


def test_the_memory_to_reserve_is_computed() -> None:
    memory = {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "2Gi"},
        "systemReserved": {"memory": "1Gi"},
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}],
    }
    (one,) = found(memory)
    assert one.place == "reservedMemory[0].limits.memory"
    assert "kubeReserved 2Gi + systemReserved 1Gi + evictionHard memory.available 100Mi" in one.message
    assert one.remedy == "set it to 3172Mi"
    memory["reservedMemory"] = [{"numaNode": 0, "limits": {"memory": "3172Mi"}}]
    assert [one.kind for one in found(memory) if one.kind == "refused"] == []


def test_what_only_the_machine_decides_is_told_too() -> None:
    (one,) = found({**STATIC, "reservedSystemCPUs": "0,99"})
    assert (one.place, one.message) == ("reservedSystemCPUs", "there are no CPUs 99 online")
    assert one.remedy == "accepted: some of 0-31"
    (one,) = found({"topologyManagerPolicy": "restricted"}, "twelve-numa-nodes")
    assert one.place == "topologyManagerPolicyOptions"
    assert "the machine has 12 NUMA nodes" in one.message
    assert one.remedy == 'set max-allowable-numa-nodes: "12"'
    lifted = {"topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "12"}}
    refused = [
        one
        for one in found({"topologyManagerPolicy": "restricted", **lifted}, "twelve-numa-nodes", "1.35")
        if one.kind == "refused"
    ]
    assert refused == []
    (one,) = found({"topologyManagerPolicy": "restricted"}, "twelve-numa-nodes", "1.30")
    assert one.remedy == "set topologyManagerPolicy: none"


@pytest.mark.parametrize(
    ("fields", "place", "remedy"),
    [
        ({"systemReserved": {"cpu": "30"}, "kubeReserved": {"cpu": "2500m"}}, "kubeReserved.cpu", "cpu 32"),
        ({"systemReserved": {"memory": "32Gi"}}, "systemReserved.memory", "memory 32Gi"),
        ({"evictionHard": {"memory.available": "33Gi"}}, "evictionHard", "memory 32Gi"),
        (
            {"kubeReserved": {"memory": "20Gi"}, "evictionHard": {"memory.available": "50%"}},
            "kubeReserved.memory",
            "memory 32Gi",
        ),
    ],
)
def test_a_reservation_above_the_capacity_is_refused(fields: dict[str, object], place: str, remedy: str) -> None:
    (one,) = found(fields)
    assert (one.kind, one.place, one.remedy) == ("refused", place, f"reserve at most {remedy} in all")


def test_a_reservation_above_the_capacity_is_told_by_the_fields_that_count() -> None:
    online, excess = found({"reservedSystemCPUs": "0-99"})
    assert (online.place, excess.place) == ("reservedSystemCPUs", "reservedSystemCPUs")
    assert "cpu 100 is reserved (reservedSystemCPUs 100), and" in excess.message
    (one,) = found({"kubeReserved": {"memory": "40Gi"}, "evictionHard": {"memory.available": "100%"}})
    assert "memory 40Gi is reserved (kubeReserved 40Gi), and" in one.message


@pytest.mark.parametrize(
    ("fields", "version", "kind", "place"),
    [
        (
            {"enforceNodeAllocatable": ["kube-reserved"], "kubeReservedCgroup": "/kube"},
            "1.37",
            "refused",
            "enforceNodeAllocatable",
        ),
        ({"streamingConnectionIdleTimeout": "1h"}, "1.34", "no effect", "streamingConnectionIdleTimeout"),
        ({"podLogsDir": "/logs"}, "1.29", "no effect", "podLogsDir"),
        ({"featureGates": {"AppArmor": True}}, "1.31", "unwise", "featureGates.AppArmor"),
        (
            {"featureGates": {"AllowServiceExternalIPs": False}},
            "1.36",
            "unwise",
            "featureGates.AllowServiceExternalIPs",
        ),
    ],
)
@pytest.mark.parametrize("machine", [None, MACHINE.name])
def test_a_field_or_gate_on_its_way_out_is_told(
    fields: dict[str, object], version: str, kind: str, place: str, machine: str | None
) -> None:
    (one,) = found(fields, machine, version)
    assert (one.kind, one.place) == (kind, place)


def test_as_much_as_a_machine_has_may_be_reserved() -> None:
    whole = {"systemReserved": {"cpu": "32", "memory": "32Gi"}, "evictionHard": {"memory.available": "0%"}}
    assert [one for one in found(whole) if one.kind == "refused"] == []


def test_the_number_of_numa_nodes_is_a_number() -> None:
    options = {"topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "true"}}
    (one,) = found({"topologyManagerPolicy": "restricted", **options}, "twelve-numa-nodes")
    assert one.remedy == 'accepted: a whole number, such as "9"'


def test_huge_pages_cannot_be_reserved() -> None:
    limits = {"memory": "100Mi", "hugepages-2Mi": "10Mi"}
    memory = {"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 0, "limits": limits}]}
    (one,) = [one for one in found(memory, "two-nodes-hugepages") if one.kind == "refused"]
    assert (one.place, one.remedy) == ("reservedMemory[0].limits.hugepages-2Mi", "leave it out")


def test_a_reservation_that_splits_cores_is_unwise() -> None:
    (one,) = [one for one in found({**STATIC, **FULL, "reservedSystemCPUs": "0-1"}) if one.kind == "unwise"]
    assert "no pod gets 16-17 either" in one.message
    assert one.remedy == 'set reservedSystemCPUs: "0,16"'
    assert not [one for one in found({**STATIC, **FULL}) if one.kind == "unwise"]


@pytest.mark.parametrize(
    ("policy", "said", "remedy"),
    [
        ("single-numa-node", "refuses containers of more than 8 CPUs, of the 30 it has", "restricted admits them all"),
        ("restricted", "", ""),
        ("best-effort", "", ""),
    ],
)
def test_sizes_that_no_node_of_this_kind_admits_are_told(policy: str, said: str, remedy: str) -> None:
    notes = [one for one in found({**STATIC, "topologyManagerPolicy": policy}) if one.kind == "note"]
    assert [said in one.message and one.remedy == remedy for one in notes] == [True] * bool(said)


@pytest.mark.parametrize(
    ("fields", "machine", "place"),
    [
        ({"topologyManagerScope": "pod"}, None, "topologyManagerScope"),
        ({"reservedMemory": [{"numaNode": 0, "limits": {"memory": "1Gi"}}]}, None, "reservedMemory"),
        ({**STATIC, "kubeReserved": {"cpu": "1"}}, None, "kubeReserved.cpu"),
        ({**STATIC, **FULL, "reservedSystemCPUs": "0"}, "one-socket-no-smt", "cpuManagerPolicyOptions.full-pcpus-only"),
        ({"topologyManagerPolicy": "restricted"}, MACHINE.name, "topologyManagerPolicy"),
        (
            {
                **STATIC,
                **ALPHA,
                "reservedSystemCPUs": "0",
                "cpuManagerPolicyOptions": {"distribute-cpus-across-numa": "true"},
            },
            "t1-one-socket-smt2",
            "cpuManagerPolicyOptions.distribute-cpus-across-numa",
        ),
    ],
)
def test_what_has_no_effect_is_told(fields: dict[str, object], machine: str | None, place: str) -> None:
    assert [one.place for one in found(fields, machine) if one.kind == "no effect"] == [place]


def test_sizes_that_do_not_fit_because_of_the_reservation_are_told_as_ranges() -> None:
    fields = {**STATIC, "reservedSystemCPUs": "0-3", "topologyManagerPolicy": "restricted"}
    (one,) = [one for one in found(fields, "t2-two-sockets-interleaved") if one.kind == "note"]
    assert one.message == "the empty node refuses containers of 5-6 CPUs, of the 8 it has to give"
    assert one.remedy == "best-effort admits them all"


def test_the_defaults_are_nothing_to_speak_of() -> None:
    assert found({}) == []
    assert found({}, None) == []


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, object]:
    """Draw configurations of which about half are refused."""
    options = st.dictionaries(
        st.sampled_from(["full-pcpus-only", "align-by-socket", "distribute-cpus-across-numa", "no-such"]),
        st.sampled_from(["true", "false", "maybe"]),
        max_size=2,
    )
    fields: dict[str, st.SearchStrategy[object]] = {
        "cpuManagerPolicy": st.sampled_from(["none", "static", "static", "other"]),
        "cpuManagerPolicyOptions": options,
        "reservedSystemCPUs": st.sampled_from(["", "0", "0-1", "99", "x"]),
        "memoryManagerPolicy": st.sampled_from(["None", "Static", "BestEffort"]),
        "kubeReserved": st.sampled_from([{}, {"memory": "412Mi"}, {"cpu": "1"}, {"cpu": "33"}, {"memory": "32Gi"}]),
        "reservedMemory": st.lists(
            st.fixed_dictionaries(
                {
                    "numaNode": st.sampled_from([0, 1, 9]),
                    "limits": st.sampled_from([{"memory": "512Mi"}, {"memory": "1Gi"}]),
                }
            ),
            max_size=1,
        ),
        "topologyManagerPolicy": st.sampled_from(["none", "restricted", "other"]),
        "topologyManagerPolicyOptions": st.sampled_from([{}, {"prefer-closest-numa-nodes": "true"}, {"no-such": "1"}]),
        "featureGates": st.sampled_from([{}, {"CPUManagerPolicyAlphaOptions": True}]),
    }
    chosen = draw(st.sets(st.sampled_from(sorted(fields)), max_size=5))
    return {name: draw(fields[name], label=name) for name in sorted(chosen)}


@given(configurations(), st.sampled_from(["1.27", "1.32", "1.36"]))
def test_something_is_refused_exactly_when_the_node_does_not_come_up(fields: dict[str, object], version: str) -> None:
    config = KubeletConfiguration.from_dict(fields)
    try:
        validate(config, version)
        Node(MACHINE, config, kubernetes_version=version, resource_fit=True)
        comes_up = True
    except StartError:
        comes_up = False
    assert any(one.kind == "refused" for one in found(fields, version=version)) != comes_up
