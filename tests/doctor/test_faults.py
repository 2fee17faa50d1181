"""Faults planted on a node, each found, with its requirement and the line that shows it, and no other beside it."""

import json

import pytest

from fake_nodes import MEMORY, PID, ROOT_DIR, STATIC, FakeNode, container, pod
from numa_conformance.chapters import REQUIREMENTS, protocol, settings
from numa_conformance.chapters.cpu import lifecycle, reconcile, reservation, shared_pool
from numa_conformance.chapters.cpu import state_file as cpu_state_file
from numa_conformance.chapters.cpu import static as cpu_static
from numa_conformance.chapters.cpu.options import full_pcpus_only
from numa_conformance.chapters.devices import allocation
from numa_conformance.chapters.memory import reserved_memory
from numa_conformance.chapters.memory import state_file as memory_state_file
from numa_conformance.chapters.memory import static as memory_static
from numa_conformance.chapters.topology import single_numa_node
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.judging.sighting import Sighting
from numa_conformance.judging.views import requirements_of
from numa_conformance.reference.managers.memory.memory_state import PinnedBlock
from worlds import id_of

CPUS, BOOKS, DEVICES = (
    f"{ROOT_DIR}/{name}"
    for name in ("cpu_manager_state", "memory_manager_state", "device-plugins/kubelet_internal_checkpoint")
)
CONFIG = f"{ROOT_DIR}/config.yaml"
WHOLE_CORES = {**STATIC, "reservedSystemCPUs": "0,16", "cpuManagerPolicyOptions": {"full-pcpus-only": "true"}}
ALPHA = {"featureGates": {"CPUManagerPolicyAlphaOptions": True}}
STRICT = {**STATIC, **ALPHA, "cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}}
PINNED = {**STATIC, **MEMORY}
PINNED_TO_ONE = {**PINNED, "topologyManagerPolicy": "single-numa-node"}
ONE_NODE = {**STATIC, "topologyManagerPolicy": "single-numa-node"}
GPU = {"example.com/gpu": 1}
GPUS = (pod("db", container("main", 2, **GPU)), pod("web", container("app", 2, **GPU)))
TWO_CONTAINERS = (pod("db", container("a", 2), container("b", 2)),)
LOSES, STAYS = shared_pool.pool_loses_nothing, reservation.reserved_stays_in_the_pool
SURVIVES = memory_state_file.memory_survives_a_restart
RECONCILE = reconcile.runs_on_what_is_assigned
GUARANTEES = memory_static.guarantees_memory

FAULTS = {}


def fault(requirement, file, kubelet=STATIC, also=(), asked=None, **node):
    """Plant what a function does to a node; ``also``: requirements that fall by the same cause."""

    def declare(plant):
        broken = id_of(requirement)
        FAULTS[plant.__name__] = (broken, file, kubelet, {broken, *map(id_of, also)}, asked or {}, node, plant)
        return plant

    return declare


def give(node, uid, name, cpus):
    def change(state):
        before = state.assignments[uid][name]
        state.assignments[uid][name] = cpus
        state.default = (state.default | before) & ~cpus

    node.change_cpus(change)


@fault(lifecycle.exclusive_cpus_belong_to_one_pod, CPUS, also=(LOSES, RECONCILE))
def one_cpu_for_two_pods(node):
    node.change_cpus(lambda state: state.assignments["web-uid"].update(app=state.assignments["db-uid"]["main"]))


@fault(shared_pool.exclusive_cpus_leave_the_pool, CPUS, also=(RECONCILE,))
def exclusive_and_shared(node):
    def change(state):
        state.default |= state.assignments["db-uid"]["main"]

    node.change_cpus(change)


@fault(LOSES, CPUS, also=(RECONCILE,))
def lost_cpus(node):
    def change(state):
        state.default &= ~(1 << 9)

    node.change_cpus(change)


@fault(reservation.reserved_is_never_exclusive, CPUS, also=(STAYS, RECONCILE))
def reserved_is_exclusive(node):
    give(node, "db-uid", "main", 1 | 1 << 9)


@fault(shared_pool.pool_regains_cpus, CPUS, also=(RECONCILE,))
def cpus_of_a_pod_that_is_gone(node):
    node.change_cpus(lambda state: state.assign("old-uid", "main", 1 << 9))


@fault(STAYS, CPUS, also=(LOSES, RECONCILE))
def reserved_is_not_shared(node):
    def change(state):
        state.default &= ~1

    node.change_cpus(change)


@fault(reservation.strict_keeps_pods_off, CPUS, STRICT, (LOSES, RECONCILE))
def strictly_reserved_is_shared(node):
    def change(state):
        state.default |= 1

    node.change_cpus(change)


@fault(shared_pool.pool_never_empties, CPUS, also=(LOSES, STAYS))
def nothing_is_shared(node):
    def change(state):
        state.default = 0

    node.change_cpus(change)


@fault(lifecycle.none_gives_none, CPUS, {})
def exclusive_under_none(node):
    node.change_cpus(lambda state: state.assign("db-uid", "main", 0b110), policy="none")


@fault(lifecycle.burstable_is_shared, CPUS, also=(RECONCILE,))
def exclusive_and_burstable(node):
    node.change_cpus(lambda state: state.assign("batch-uid", "work", 1 << 9))


@fault(lifecycle.best_effort_is_shared, CPUS, also=(RECONCILE,))
def exclusive_and_best_effort(node):
    node.change_cpus(lambda state: state.assign("idle-uid", "rest", 1 << 9))


@fault(lifecycle.fractional_is_shared, CPUS, also=(RECONCILE,))
def exclusive_and_fractional(node):
    node.change_cpus(lambda state: state.assign("web-uid", "log", 1 << 9))


@fault(lifecycle.gives_the_number, CPUS, also=(RECONCILE,))
def other_number_of_cpus(node):
    give(node, "db-uid", "main", 0b10)


@fault(lifecycle.gives_the_number, CPUS, also=(RECONCILE,), asked={"version": "1.32"})
def integral_and_shared(node):
    node.change_cpus(lambda state: state.release("db-uid", "main"))


@fault(lifecycle.apps_have_cpus_of_their_own, CPUS, also=(RECONCILE, LOSES), pods=TWO_CONTAINERS)
def two_containers_on_one_cpu(node):
    node.change_cpus(lambda state: state.assignments["db-uid"].update(b=state.assignments["db-uid"]["a"]))


@fault(full_pcpus_only.gives_whole_cores, CPUS, WHOLE_CORES, (RECONCILE,))
def half_cores(node):
    give(node, "db-uid", "main", 0b1100 << 4)


@fault(single_numa_node.gives_one_node, CPUS, ONE_NODE, (RECONCILE,))
def cpus_of_two_numa_nodes(node):
    give(node, "db-uid", "main", 1 << 3 | 1 << 5)


@fault(single_numa_node.gives_one_node, BOOKS, PINNED_TO_ONE, (GUARANTEES,))
def memory_of_another_numa_node(node):
    def change(nodes, blocks):
        (block,) = blocks.by_pod["db-uid"]["main"]
        blocks.by_pod["db-uid"]["main"] = [PinnedBlock((2,), block.type, block.bytes)]

    node.change_memory(change)


@fault(RECONCILE, "cpuset.cpus")
def runs_on_more_cpus(node):
    node.moves("db-uid", "main", "0-31")


@fault(RECONCILE, "cpuset.cpus", cgroups=1, driver="cgroupfs")
def runs_on_other_cpus(node):
    node.moves("db-uid", "main", "5,21")


@fault(RECONCILE, "cpuset.cpus")
def shared_on_exclusive_cpus(node):
    node.moves("batch-uid", "work", "0-31")


@fault(RECONCILE, "cpuset.cpus")
def nothing_was_written(node):
    node.write(f"{node.paths['idle-uid', 'rest']}/cpuset.cpus", "\n")


@fault(RECONCILE, "cpuset.cpus")
def narrowed_from_above(node):
    node.write(f"{node.top}/cpuset.cpus", "0-7\n")
    node.write(f"{node.paths['batch-uid', 'work']}/cpuset.cpus.effective", "0,3-7\n")


@fault(RECONCILE, "/status")
def a_thread_elsewhere(node):
    node.thread(node.threads("db-uid", "main")[1], "0-31")


@fault(RECONCILE, "/status")
def a_thread_in_a_cgroup_below(node):
    inner = f"{node.paths['db-uid', 'main']}/init.scope"
    node.write(f"{inner}/cgroup.threads", "7001\n")
    node.thread(7001, "0-31")


@fault(GUARANTEES, "cpuset.mems", PINNED)
def memory_from_anywhere(node):
    node.write(f"{node.paths['db-uid', 'main']}/cpuset.mems", "0-3\n")


@fault(GUARANTEES, "/status", PINNED)
def a_thread_with_memory_from_anywhere(node):
    node.thread(node.threads("db-uid", "main")[0], "1,17", "0-3")


@fault(
    memory_static.never_gives_more_than_there_is,
    BOOKS,
    PINNED,
    (SURVIVES, reserved_memory.never_gives_what_is_reserved),
)
def more_memory_than_there_is(node):
    node.change_memory(
        lambda nodes, blocks: blocks.by_pod["db-uid"].update(main=[PinnedBlock((0,), "memory", 64 << 30)])
    )


@fault(SURVIVES, BOOKS, PINNED)
def books_that_do_not_add_up(node):
    def change(nodes, blocks):
        nodes[1].tables["memory"].free -= 4096

    node.change_memory(change)


@fault(SURVIVES, BOOKS, PINNED)
def books_of_another_machine(node):
    def change(nodes, blocks):
        nodes[1].tables["memory"].total += 4096

    node.change_memory(change)


@fault(memory_static.leaves_other_classes_alone, BOOKS, PINNED, (SURVIVES, GUARANTEES))
def memory_of_a_burstable_pod(node):
    node.change_memory(lambda nodes, blocks: blocks.give("batch-uid", "work", [PinnedBlock((0,), "memory", 1 << 30)]))


@fault(memory_static.none_pins_nothing, BOOKS, PINNED, (memory_state_file.memory_policy_change_is_refused,))
def memory_under_none(node):
    node.configure(STATIC)


@fault(memory_static.huge_pages_come_from_named_nodes, BOOKS, PINNED, (SURVIVES,))
def huge_pages_that_are_not_there(node):
    held = [PinnedBlock((0,), "memory", 1 << 30), PinnedBlock((0,), "hugepages-1Gi", 1 << 30)]
    node.change_memory(lambda nodes, blocks: blocks.by_pod["db-uid"].update(main=held))


@fault(cpu_state_file.policy_change_is_refused, CPUS, also=(lifecycle.none_gives_none,))
def policy_changed(node):
    node.configure({})


@fault(memory_state_file.memory_policy_change_is_refused, BOOKS, PINNED, (memory_static.none_pins_nothing,))
def memory_policy_changed(node):
    node.configure(STATIC)


@fault(cpu_state_file.cpus_survive_a_restart, CPUS)
def damaged_cpu_file(node):
    node.write(CPUS, node.read(CPUS).replace('"checksum":', '"checksum":1'))


@fault(cpu_state_file.cpus_survive_a_restart, CPUS)
def cut_off_cpu_file(node):
    node.write(CPUS, node.read(CPUS)[:40])


@fault(SURVIVES, BOOKS, PINNED)
def damaged_memory_file(node):
    node.write(BOOKS, node.read(BOOKS).replace('"checksum":', '"checksum":1'))


@fault(allocation.devices_survive_a_restart, DEVICES, machine="two-nodes-devices", pods=GPUS)
def damaged_device_file(node):
    node.write(DEVICES, node.read(DEVICES).replace('"Checksum":', '"Checksum":1'))


@fault(allocation.shares_no_device, DEVICES, machine="two-nodes-devices", pods=GPUS)
def one_device_for_two_pods(node):
    def change(entries):
        first, second = entries
        entries[1] = type(second)(second.uid, second.container, second.resource, first.devices, second.response)

    node.change_devices(change)


@fault(cpu_state_file.changed_cpus_are_refused, CPUS, also=(LOSES, RECONCILE))
def a_cpu_went_offline(node):
    node.write("sys/devices/system/cpu/online", "0-30\n")


@fault(reservation.must_be_positive, CONFIG)
def no_reservation(node):
    node.configure({"cpuManagerPolicy": "static"})


@fault(settings.unknown_topology_policy_is_refused, "cmdline")
def unknown_policy_by_flag(node):
    node.flags("--config=/var/lib/kubelet/config.yaml", "--topology-manager-policy=strictest")


@fault(reserved_memory.reserved_memory_must_match, CONFIG, PINNED)
def reserved_memory_that_does_not_match(node):
    node.configure({**PINNED, "systemReserved": {"memory": "2Gi"}})


@fault(reconcile.exclusive_cpus_have_no_quota, "cpu.max", asked={"version": "1.33"}, version="1.33")
def quota_on_exclusive_cpus(node):
    node.write(f"{node.paths['db-uid', 'main']}/cpu.max", "200000 100000\n")


@fault(reconcile.exclusive_cpus_have_no_quota, "cpu.max", asked={"version": "1.33"}, version="1.33")
def quota_on_a_pod_with_exclusive_cpus(node):
    node.write(f"{node.paths['db-uid', 'main'].rpartition('/')[0]}/cpu.max", "200000 100000\n")


def told_by(node, **changed):
    """Write what PodResources has pod db into the tree, as a dump has it."""
    of_db = {"name": "main", "cpus": [1, 17], **changed}
    pods = [{"namespace": "default", "name": "db", "containers": [of_db]}]
    node.write("numa-conformance/pod-resources.json", json.dumps({"pods": pods}))


@fault(protocol.state_agrees_with_answers, "pod-resources.json")
def other_cpus_are_listed(node):
    told_by(node, cpus=[2, 18])


@fault(protocol.state_agrees_with_answers, "pod-resources.json", PINNED)
def other_memory_is_listed(node):
    told_by(node, memory=[{"type": "memory", "bytes": 1 << 30, "nodes": [3]}])


@fault(reservation.explicit_list_is_taken, CONFIG)
def other_cpus_are_reserved(node):
    told = {"allocatable": {"cpus": [*range(16), *range(17, 32)]}}
    node.write("numa-conformance/pod-resources.json", json.dumps(told))


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(tmp_path, name):
    requirement, file, kubelet, fallen, asked, described, plant = FAULTS[name]
    node = FakeNode(tmp_path, kubelet=kubelet, **described)
    before = check(look(NodeSource(tmp_path, **_asked(asked))))
    assert before.findings == ()
    plant(node)
    findings = check(look(NodeSource(tmp_path, **_asked(asked)))).findings
    assert requirement in {one.requirement for one in findings}
    assert {one.requirement for one in findings} <= fallen
    found = [one for one in findings if one.requirement == requirement]
    assert any(file in line.file and line.number >= 1 for one in found for line in one.evidence), found
    for one in findings:
        assert one.remedy
        assert one.address == REQUIREMENTS[one.requirement].address
        assert one.evidence
        assert f"proc/{PID}/environ" not in {line.file for line in one.evidence}


def _asked(asked):
    from numa_conformance.sources.versions import KubernetesVersion

    return {key: KubernetesVersion.parse(value) if key == "version" else value for key, value in asked.items()}


BESIDE = {
    full_pcpus_only.refuses_a_partial_core_beside_others,
    full_pcpus_only.refuses_a_partial_core,
    reconcile.none_enforces_limits,
    lifecycle.keeps_its_cpus,
    cpu_static.limits_alone_give_cpus,
    cpu_static.init_containers_and_sidecars_are_eligible,
    reconcile.static_enforces_shared_limits,
}
"""What containers are judged by whose pods tell more than a node at work shows: what was asked for, refused, had."""


def test_every_checker_of_a_node_at_work_is_seen_to_find_something():
    able = requirements_of(Sighting).difference(map(id_of, BESIDE))
    assert able <= {requirement for requirement, *_ in FAULTS.values()}
