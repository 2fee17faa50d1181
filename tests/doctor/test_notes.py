"""What a check of a node notes: that the next start fails, who else may run on exclusive CPUs, and known causes."""

import pytest

from fake_nodes import MEMORY, ROOT_DIR, STATIC, FakeNode
from numa_conformance.doctor.collect import collect
from numa_conformance.doctor.findings import can_show, check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.judging.departures import DEPARTURES
from numa_conformance.sources.versions import KubernetesVersion

LOST = "cpu-manager/shared-pool/loses-nothing"
PINNED = {**STATIC, **MEMORY}


def checked(root, version="1.34"):
    return check(look(NodeSource(root, version=version and KubernetesVersion.parse(version))))


def notes(root, begin, version="1.34"):
    return [note for note in checked(root, version).worth_knowing if note.startswith(begin)]


FOUR_CPUS = '{"policyName":"static","defaultCpuSet":"0-3","checksum":0}'


@pytest.mark.parametrize("version", ["1.27", "1.34", "1.37", None])
def test_cpus_that_were_added_end_the_next_start(tmp_path, version):
    node = FakeNode(tmp_path, "t1-one-socket-smt2", pods=())
    node.write(f"{ROOT_DIR}/cpu_manager_state", FOUR_CPUS)
    (note,) = notes(tmp_path, "the next start", version)
    words = 'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-3"'
    assert note == f"the next start of the kubelet fails: cpumanager-start: {words}"


def test_a_state_file_that_is_not_there_is_noted(tmp_path):
    node = FakeNode(tmp_path, kubelet=PINNED, pods=())
    begin = "var/lib/kubelet/cpu_manager_state: is missing"
    assert not any(note.startswith(begin) for note in checked(tmp_path).notes)
    (node.root / ROOT_DIR.strip("/") / "cpu_manager_state").unlink()
    assert f"{begin}: policy static keeps there who has what" in checked(tmp_path).notes


def test_a_negative_amount_is_no_sound_file(tmp_path):
    node = FakeNode(tmp_path, kubelet=PINNED, pods=())
    path = node.root / ROOT_DIR.strip("/") / "memory_manager_state"
    path.write_text(path.read_text().replace('"free":', '"free":-'))
    (note,) = notes(tmp_path, "the next start")
    assert "Go struct field MemoryManagerCheckpoint.machineState.memoryMap.free of type uint64" in note
    assert any("cannot unmarshal number -" in finding.got for finding in checked(tmp_path).findings)


def test_the_machine_average_is_no_cause_where_all_cores_are_alike(tmp_path):
    node = FakeNode(tmp_path / "even", "t1-one-socket-smt2", pods=())
    node.write(f"{ROOT_DIR}/cpu_manager_state", FOUR_CPUS)
    uneven = FakeNode(tmp_path / "uneven", "hybrid-two-nodes", pods=())
    uneven.write(f"{ROOT_DIR}/cpu_manager_state", FOUR_CPUS)
    quirks = {
        root: [each.quirks for each in checked(tmp_path / root).findings if each.requirement == LOST]
        for root in ("even", "uneven")
    }
    assert quirks == {"even": [()], "uneven": [("full-by-machine-average",)]}


def test_a_policy_that_was_changed_ends_the_next_start(tmp_path):
    node = FakeNode(tmp_path, "t1-one-socket-smt2")
    node.configure({})
    (note,) = notes(tmp_path, "the next start")
    assert 'configured policy "none" differs from state checkpoint policy "static"' in note


def test_nothing_is_said_of_a_start_that_succeeds_in_some_version(tmp_path):
    FakeNode(tmp_path, "t1-one-socket-smt2", kubelet=PINNED)
    assert notes(tmp_path, "the next start") == notes(tmp_path, "the next start", None) == []


def process(node, pid, name, cpus, *, cgroup="/system.slice/some.service", memory="VmSize:\t  100 kB\n"):
    node.write(f"proc/{pid}/status", f"Name:\t{name}\n{memory}Cpus_allowed_list:\t{cpus}\n")
    node.write(f"proc/{pid}/cgroup", f"0::{cgroup}\n")


def test_processes_outside_of_pods_are_noted_where_they_may_run_on_exclusive_cpus(tmp_path):
    node = FakeNode(tmp_path, "t3-two-numa-per-socket")
    process(node, 101, "backup", "0-31")
    process(node, 102, "tuned", "2")
    process(node, 103, "polite", "0,16")
    process(node, 104, "kworker/1:0", "1", memory="")
    process(node, 105, "server", "0-31", cgroup="/kubepods.slice/kubepods-poddb_uid.slice/cri-containerd-1.scope")
    (note,) = notes(tmp_path, "processes")
    assert note.startswith(
        "processes outside of pods, 2 here, may run on exclusive CPUs 1-2,17-18: 101 (backup), 102 (tuned); "
    )


def test_pause_containers_are_noted_of_a_node_and_of_its_dump(tmp_path):
    node = FakeNode(tmp_path / "node")
    collect(NodeSource(node.root), tmp_path / "dump")
    here, there = (notes(root, "pause containers") for root in (node.root, tmp_path / "dump"))
    assert here == there != []
    assert here[0].startswith("pause containers, 4 here, may run on exclusive CPUs 1-2,17-18: ")


def test_a_pause_container_that_has_ended_or_has_other_cpus_is_no_guest(tmp_path):
    node = FakeNode(tmp_path)
    for folder in node.root.glob("sys/fs/cgroup/kubepods.slice/**/cri-containerd-*.scope"):
        place = str(folder.relative_to(node.root))
        if place not in node.paths.values():
            node.write(f"{place}/cpuset.cpus.effective", "0,16\n")
    assert notes(tmp_path, "pause containers") == []


OPTION = {name: {"cpuManagerPolicyOptions": {name: "true"}} for name in ("full-pcpus-only", "align-by-socket")}


@pytest.mark.parametrize(
    ("quirk", "with_it", "without_it"),
    [
        ("full-by-machine-average", ("hybrid-two-nodes", {}), ("t3-two-numa-per-socket", {})),
        ("smt-check-by-machine-average", ("hybrid-two-nodes", OPTION["full-pcpus-only"]), ("hybrid-two-nodes", {})),
        ("smt-check-ignores-reusable", ("t1-one-socket-smt2", OPTION["full-pcpus-only"]), ("t1-one-socket-smt2", {})),
        ("align-by-socket-only-adds-hints", ("snc2-small", OPTION["align-by-socket"]), ("snc2-small", {})),
        ("cores-gathered-across-nodes", ("two-nodes-devices", {}), ("t1-one-socket-smt2", {})),
        ("groups-may-cross", ("two-nodes-devices", PINNED), ("two-nodes-devices", {})),
        ("reservation-by-allocator", ("snc2-small", {"systemReserved": {"cpu": "1"}}), ("snc2-small", STATIC)),
    ],
)
def test_a_quirk_is_named_only_where_it_can_show(tmp_path, quirk, with_it, without_it):
    shows = []
    for number, (machine, config) in enumerate((with_it, without_it)):
        node = FakeNode(tmp_path / str(number), machine, pods=())
        node.configure({"cpuManagerPolicy": "static", **config})
        shows.append(can_show(quirk, look(NodeSource(node.root, version=KubernetesVersion.parse("1.34")))))
    assert shows == [True, False]


def test_what_nothing_is_known_against_may_always_be_a_cause(tmp_path):
    FakeNode(tmp_path, "t1-one-socket-smt2", pods=())
    sight = look(NodeSource(tmp_path, version=KubernetesVersion.parse("1.34")))
    assert can_show("init-cpus-reused-by-chance", sight)
    assert any("init-cpus-reused-by-chance" in cause for causes in DEPARTURES.values() for cause in causes.values())
