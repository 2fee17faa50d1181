"""Each quirk that the node itself shows, with one input on which it matters."""

from dataclasses import replace

import pytest

from numa_conformance.asking.generators.workloads import (
    best_effort,
    burstable,
    container,
    guaranteed,
    pod,
    static,
    static_memory,
)
from numa_conformance.errors import StartError, UsageError
from numa_conformance.kube import Container, FeatureGates, KubeletConfiguration, Pod, Quantity
from numa_conformance.machine import load_machine
from numa_conformance.machine.model import Device
from numa_conformance.reference.node import Node
from numa_conformance.reference.node.stack import cfs_quota
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import MemoryQuirks, NodeQuirks
from numa_conformance.sources.versions import DEFAULT, KubernetesVersion

EXACT = Quirks.of(KubernetesVersion(1, 32))


def node(quirks, machine="t1-one-socket-smt2", config=None):
    return Node(load_machine(machine), KubeletConfiguration.from_dict(config or static()), quirks=quirks)


def quota(version, quirks, *, exclusive=True, limit="2"):
    container = Container("c", limits={"cpu": Quantity.parse(limit)})
    gates = FeatureGates.build(version, {})
    return cfs_quota(container, KubeletConfiguration(), gates, exclusive=exclusive, quirks=quirks.node)


def test_a_node_shows_the_quirks_of_its_version():
    machine, config = load_machine("t1-one-socket-smt2"), KubeletConfiguration.from_dict(static())
    newer = Node(machine, config, kubernetes_version="1.33").quirks
    assert set(EXACT.showing()) - set(newer.showing()) == {"quota-on-exclusive-cpus"}
    assert Node(machine, config, kubernetes_version="1.32").quirks == EXACT
    assert Node(machine, config).quirks == Quirks.of(DEFAULT)
    with pytest.raises(UsageError, match="'soon' is not a Kubernetes version"):
        Node(machine, config, kubernetes_version="soon")


def test_quota_on_exclusive_cpus():
    assert quota("1.32", EXACT) == 200_000
    assert quota("1.32", EXACT.without("quota-on-exclusive-cpus")) is None
    assert quota("1.33", EXACT) is None


def test_shared_containers_are_bounded_by_their_limit():
    assert quota("1.33", Quirks.none(), exclusive=False, limit="1500m") == 150_000
    assert quota("1.32", EXACT, exclusive=False, limit="1m") == 1_000
    assert quota("1.32", EXACT, exclusive=False, limit="0") is None


def test_reconcile_trusts_last_write():
    """A shared container that was created with the pool as it is now gets it once more from the kubelet."""
    sent = {}
    for name, quirks in (("kubelet", EXACT), ("page", EXACT.without("reconcile-trusts-last-write"))):
        one = node(quirks)
        one.admit(Pod.from_dict(best_effort("shared")))
        one.run("shared")
        sent[name] = len(one.reconcile().updates)
    assert sent == {"kubelet": 1, "page": 0}


def test_without_the_quirk_containers_that_lose_cpus_come_first():
    one = node(Quirks.none())
    for described in (guaranteed("own", 2), burstable("shared", 1)):
        one.admit(Pod.from_dict(described))
        one.run(described["metadata"]["name"])
    one.remove("own")
    one.reconcile()
    one.admit(Pod.from_dict(guaranteed("new", 4)))
    one.run("new")
    assert [update.uid for update in one.reconcile().updates] == ["shared"]


def test_node_wide_cache_is_no_uncore_cache():
    """One cache per NUMA node: the kubelet sees one group per socket in their place, the page eight caches."""
    quirk = "node-wide-cache-is-no-uncore-cache"
    config = static("prefer-align-cpus-by-uncorecache", reserved="0,48", topology="none")
    touched = {}
    for quirks in (EXACT, EXACT.without(quirk)):
        one = node(quirks, "amd-siena-8434p-l3-as-numa", config)
        for name, cpus in (("half", 6), ("next", 8)):
            got = one.admit(Pod.from_dict(guaranteed(name, cpus))).placements["c"].cpus
        touched[quirk in quirks.showing()] = sum(1 for cache in one.machine.uncore_bits.values() if cache & got)
    assert touched == {True: 2, False: 1}


def test_a_limit_that_is_passed_leaves_the_node_as_it_was():
    config = static(topology="best-effort", more={"topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "64"}})
    one = node(EXACT, "forty-numa-nodes", config)
    before = one.state()
    with pytest.raises(UsageError, match="at most 20"):
        one.admit(Pod.from_dict(guaranteed("a", 1)))
    assert one.state() == before


def test_a_container_with_affinity_to_one_node_of_a_group_has_memory_of_the_group():
    config = static(
        reserved="0,16",
        topology="best-effort",
        memoryManagerPolicy="Static",
        kubeReserved={"memory": "256Mi"},
        reservedMemory=[{"numaNode": 0, "limits": {"memory": "356Mi"}}],
    )
    found = {}
    for name, quirks in (("kubelet", EXACT), ("page", EXACT.without("single-node-blocks-break-groups"))):
        one = node(quirks, "t3-two-numa-per-socket", config)
        for uid, cpus in (("group", 20), ("rest", 8), ("single", 1)):
            answer = one.admit(Pod.from_dict(guaranteed(uid, cpus)))
            assert answer.admitted
        found[name] = [block.nodes for block in answer.placements["c"].memory]
    assert [len(nodes) for nodes in found["kubelet"]] == [1]
    assert [len(nodes) for nodes in found["page"]] == [3]
    assert set(found["kubelet"][0]) < set(found["page"][0])


def test_restart_may_refuse_running_pods():
    """The memory of an init container that has ended is reserved anew after a restart, where there is no room left."""
    config = static(
        reserved="1,3",
        memoryManagerPolicy="Static",
        kubeReserved={"memory": "256Mi"},
        reservedMemory=[{"numaNode": 0, "limits": {"memory": "356Mi"}}],
    )
    wants = [container("i", cpu="3", memory="2730Mi")], [container("c", cpu="2", memory="5461Mi")]
    kept = {}
    charged = replace(Quirks.none(), memory=MemoryQuirks(ended_init_containers_are_charged_again=True))
    for quirks in (replace(charged, node=NodeQuirks(restart_may_refuse_running_pods=True)), charged):
        running = node(quirks, "t1-one-socket-smt2", config)
        assert running.admit(Pod.from_dict(pod("p", wants[1], init=wants[0]))).admitted
        held = running.run("p")["c"]
        (again,) = running.restart().pods
        kept[quirks.node.restart_may_refuse_running_pods] = again.admitted
        if again.admitted:
            assert (again.placements["c"].cpus, again.placements["c"].memory) == (held.cpus, held.memory)
    assert kept == {True: False, False: True}


def emptied(quirks):
    """A node whose only pod had every CPU that is not reserved, and is gone."""
    strict = static("strict-cpu-reservation")
    one = node(quirks, config=strict)
    assert one.admit(guaranteed("a", 7)).admitted
    assert one.remove("a")
    return one


def test_removed_pods_stay_in_state_files():
    """A restart finds them there that comes before the next admission, or pass of the loop."""
    exact = Quirks.of(DEFAULT)
    assert emptied(exact).restart().pods == ()
    assert emptied(exact.without("removed-pods-stay-in-state-files")).restart(at_once=True).pods == ()
    with pytest.raises(StartError, match="default cpuset cannot be empty"):
        emptied(exact).restart(at_once=True)
    late = emptied(exact)
    late.reconcile()
    assert late.restart(at_once=True).pods == ()
    late = emptied(exact)
    assert late.admit(best_effort("b")).admitted
    assert [pod.admitted for pod in late.restart(at_once=True).pods] == [True]


def test_what_a_restart_at_once_finds_of_gone_pods_is_released_by_the_next():
    one = node(Quirks.of(DEFAULT))
    assert one.admit(guaranteed("a", 3)).admitted
    held = one.checkpoints()
    assert one.remove("a")
    assert one.checkpoints() != held
    assert one.restart(at_once=True).pods == ()
    assert one.checkpoints() == held
    assert one.admit(guaranteed("b", 1)).admitted
    assert '"a"' not in "".join(one.checkpoints().values()).replace("\\", "")


GPU = "example.com/gpu"


def two_nodes(quirks, config, *near):
    """Return a node of two NUMA nodes, 8 CPUs and 8 GiB each, with a device for each NUMA node that is named."""
    devices = tuple(Device(GPU, f"gpu-{index}", (numa,)) for index, numa in enumerate(near))
    machine = replace(load_machine("two-nodes-devices"), devices=devices)
    return Node(machine, KubeletConfiguration.from_dict(config), quirks=quirks)


@pytest.mark.parametrize(("quirks", "admitted"), [(EXACT, False), (Quirks.none(), True)])
def test_ended_init_containers_are_charged_again(quirks, admitted):
    one = two_nodes(quirks, static_memory())
    assert one.admit(
        pod("p", [container("c", cpu="1", memory="1Gi")], [container("i", cpu="1", memory="7Gi")])
    ).admitted
    one.run("p")
    one.restart()
    assert [one.admit(guaranteed(uid, 1, "6Gi")).admitted for uid in "qr"] == [True, admitted]


@pytest.mark.parametrize(("quirks", "admitted"), [(EXACT, False), (Quirks.none(), True)])
def test_memory_off_the_affinity_is_refused(quirks, admitted):
    """The devices are where the memory is not, so nothing is preferred."""
    one = two_nodes(quirks, static_memory(topology="best-effort"), 1)
    assert one.admit(guaranteed("a", 1, "3Gi")).admitted
    assert one.admit(guaranteed("b", 1, "8Gi")).admitted
    answer = one.admit(pod("p", [container("c", cpu="1", memory="1Gi", other={GPU: "1"})]))
    assert answer.admitted == admitted


CPUS = (container("s", cpu="2", memory="64Mi", sidecar=True, other={GPU: "1"}), container("i", cpu="6", memory="64Mi"))
DEVICES = (
    container("s", cpu="8", memory="64Mi", sidecar=True, other={GPU: "1"}),
    container("i", cpu="1", memory="64Mi", other={GPU: "2"}),
)


@pytest.mark.parametrize(("quirks", "admitted"), [(EXACT, False), (Quirks.none(), True)])
@pytest.mark.parametrize(
    ("init", "app", "near"),
    [(CPUS, container("c", cpu="2", memory="64Mi"), (0,)),
     (DEVICES, container("c", cpu="1", memory="64Mi", other={GPU: "1"}), (0, 0, 1))],
    ids=["cpus", "devices"],
)  # fmt: skip
def test_gone_pods_leave_what_init_containers_had_to_reuse(init, app, near, quirks, admitted):
    """A pod that comes again, as a static one does, has its sidecar tied to where its init container was."""
    one = two_nodes(quirks, static(topology="single-numa-node"), *near)
    comes = pod("p", [app], init)
    assert one.admit(comes).admitted
    one.remove("p")
    assert one.admit(comes).admitted == admitted
