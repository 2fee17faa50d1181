"""``simulate --from-node``: going on from what a node holds."""

import json
import tarfile

import pytest
import yaml

from fake_nodes import MEMORY, PODS, STATIC, FakeNode, container, pod
from numa_conformance.machine import load_machine, machine_to_yaml
from numa_conformance.reference.managers.device import DeviceEntry, state_file

BEST_EFFORT = {**STATIC, "topologyManagerPolicy": "best-effort"}
NIC = "vendor.example/nic"


@pytest.fixture
def dump(tmp_path):
    def make(*pods, kubelet=BEST_EFFORT, **more):
        return FakeNode(tmp_path / "dump", kubelet=kubelet, pods=pods or PODS, version="1.36", **more)

    return make


@pytest.fixture
def asked(run, files, dump, tmp_path):
    """Asks of a dump with JSON; pods and configurations are objects."""

    def ask(*more, pods=(), other=None):
        words = ["simulate", "--from-node", tmp_path / "dump", *more, "--json"]
        words += [files(f"pod-{number}.yaml", yaml.safe_dump(one)) for number, one in enumerate(pods)]
        words += ["--compare", files("other.yaml", yaml.safe_dump(other))] if other is not None else []
        code, out, err = run(*words)
        return code, json.loads(out) if out else None, err

    return ask


def by_name(told):
    return {one["pod"]: one for one in told["pods"]}


def cpus(told):
    return {name: {key: held["cpus"] for key, held in one["containers"].items()} for name, one in by_name(told).items()}


def test_pods_keep_what_the_node_holds_and_new_ones_get_of_the_rest(dump, asked):
    node = dump()
    new = pod("new", container("c", 2))
    code, told, err = asked(pods=[new])
    assert code == 0
    state = node.node.state().pods
    assert cpus(told)["default/db"] == {"main": str(state["db-uid"]["main"].cpu_set)}
    assert [one.get("held", False) for one in told["pods"]] == [True, True, False]
    assert cpus(told)["default/new"] == {"c": str(node.node.admit(new).placements["c"].cpu_set)}
    assert "2 pods are known by what they hold alone" in err


def test_a_manifest_of_a_pod_that_is_there_is_that_pod(dump, asked):
    dump()
    code, told, err = asked(pods=PODS)
    assert code == 0
    assert err == ""
    assert {name for name, one in by_name(told).items() if one.get("held")} == {"default/db", "default/web"}
    assert by_name(told)["default/batch"]["containers"]["work"]["cpus"] == ""


def test_memory_goes_on_from_the_blocks_of_the_node(dump, asked):
    node = dump(kubelet={**BEST_EFFORT, **MEMORY})
    _, told, _ = asked()
    (block,) = by_name(told)["default/db"]["containers"]["main"]["memory"]
    (held,) = node.node.state().pods["db-uid"]["main"].memory
    assert (block["bytes"], tuple(block["nodes"])) == (held.bytes, held.nodes)


def test_another_policy_refuses_at_restart_what_runs_now(dump, asked):
    dump(pod("wide", container("c", 10)), pod("slim", container("c", 2)))
    code, told, _ = asked(other={**STATIC, "topologyManagerPolicy": "single-numa-node"})
    assert code == 1
    assert told["summary"] == {"refused": 1, "unchanged": 1}
    assert by_name(told)["default/wide"]["after"]["reason"] == "TopologyAffinityError"


def test_where_the_kubelet_does_not_come_up_on_the_files_the_node_is_drained(dump, asked):
    dump(pod("wide", container("c", 2)))
    code, told, err = asked(other={**BEST_EFFORT, "cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}})
    assert code == 0
    assert "on the node's state files this kubelet does not come up (cpumanager-start): some of strictly" in err
    assert told["after"]["title"].endswith("the node drained, its state files deleted, and all pods admitted anew")


def test_state_files_that_no_kubelet_takes_are_refused_in_its_words(dump, asked):
    node = dump()
    node.state("cpu_manager_state", '{"policyName":"static","defaultCpuSet":"0-31","checksum":1}')
    code, _, err = asked()
    assert code == 2
    assert "error: the node does not come up (cpumanager-start): could not restore state from checkpoint" in err


def test_devices_are_those_of_the_checkpoint(dump, asked, tmp_path):
    node = dump(machine="t3-two-numa-per-socket")
    entries = [DeviceEntry("db-uid", "main", NIC, {1: ("n0",)})]
    node.state(state_file.DEVICE_FILE, state_file.encode(entries, {NIC: ("n0", "n1")}))
    code, told, err = asked(pods=[pod("new", container("c", 1, **{NIC: "1"}))])
    assert code == 0
    assert by_name(told)["default/db"]["containers"]["main"]["devices"] == {NIC: ["n0"]}
    assert by_name(told)["default/new"]["containers"]["c"]["devices"] == {NIC: ["n1"]}
    assert "of 1 devices that are free the NUMA nodes are not known" in err


def test_a_tarball_of_a_dump_will_do(dump, run, tmp_path):
    dump()
    with tarfile.open(tmp_path / "dump.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "dump", "dump")
    code, out, _ = run("simulate", "--from-node", tmp_path / "dump.tar.gz")
    assert code == 0
    assert "default/db (Guaranteed): on the node\n    main: exclusive CPUs 1,17" in out


def test_a_machine_that_is_named_takes_the_place_of_the_nodes(dump, asked, files):
    dump()
    machine = files("machine.yaml", machine_to_yaml(load_machine("t1-one-socket-smt2")))
    code, _, err = asked("--machine", machine)
    assert code == 2
    assert "doesn't match with CPUs in state" in err


def test_the_version_is_that_which_is_named(dump, asked):
    dump()
    _, told, _ = asked("--kubernetes-version", "1.35", "--compare-version", "1.36")
    assert (told["before"]["title"][-4:], told["after"]["title"][-4:]) == ("1.35", "1.36")


def test_a_folder_without_a_node_is_refused_in_a_line(run, tmp_path):
    code, _, err = run("simulate", "--from-node", tmp_path)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith("error: --from-node: ")


def test_something_to_begin_with_is_needed(run):
    code, _, err = run("simulate", "--machine", "t1-one-socket-smt2")
    assert code == 2
    assert "name PODS, or a node to go on from" in err
