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
    assert "pods known by what they hold alone, and taken to ask for just that: 2" in err


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


def test_says_where_the_reasons_of_other_refusals_are(dump, run, tmp_path, files):
    dump(pod("wide", container("c", 10)), pod("slim", container("c", 2)))
    config = files("other.yaml", yaml.safe_dump({**STATIC, "topologyManagerPolicy": "single-numa-node"}))
    for option, told in (((), True), (("--explain",), False)):
        code, out, err = run("simulate", "--from-node", tmp_path / "dump", "--config", config, *option)
        assert code == 1
        assert "refused, TopologyAffinityError" in out
        assert ("refusals without a reason here: 1; --explain gives the reason of each" in err) is told
        assert ("by quirk restart-may-refuse-running-pods" in out) is not told


def test_where_the_kubelet_does_not_come_up_on_the_files_the_node_is_drained(dump, asked):
    dump(pod("wide", container("c", 2)))
    code, told, err = asked(other={**BEST_EFFORT, "cpuManagerPolicyOptions": {"strict-cpu-reservation": "true"}})
    assert code == 0
    assert "on the node's state files this kubelet does not come up (cpumanager-start): some of strictly" in err
    assert told["after"]["title"].endswith("the node drained, its state files deleted, and all pods admitted again")


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


MACHINE = "name: lone\nsockets: 2\ncoresPerNuma: 4\nthreads: 2\nmemory: 32Gi\n"
FLAGS = "--cpu-manager-policy=static --reserved-cpus=0,8"
CPUS = (
    '{"policyName":"static","defaultCpuSet":"0-1,4-9,12-15","entries":{"some-uid":{"main":"2-3,10-11"}},"checksum":0}'
)
PROMPTS = f"admin@w:~$ sudo cat /var/lib/kubelet/cpu_manager_state\n{CPUS}\nadmin@w:~$ \n"


@pytest.fixture
def lone(run, files, tmp_path):
    """Asks for a pod of two CPUs on a node of which there is a text, with a machine by hand."""

    def ask(path, *more, flags=FLAGS):
        machine, new = files("machine.yaml", MACHINE), files("new.yaml", yaml.safe_dump(pod("new", container("c", 2))))
        code, out, err = run(
            "simulate", "--from-node", path, "--machine", machine, "--flags", flags, "--json", *more, new
        )
        return code, cpus(json.loads(out)) if out else None, err

    return ask


HELD = {"some-uid": {"main": "2-3,10-11"}, "default/new": {"c": "1,9"}}


@pytest.mark.parametrize(
    "text", [CPUS, PROMPTS, json.dumps(json.loads(CPUS), indent=2)], ids=["as it is", "prompts", "jq"]
)
@pytest.mark.parametrize("version", ["1.27", "1.28", "1.29", "1.37"])
def test_a_state_file_alone_is_a_node(lone, files, text, version):
    code, held, err = lone(files("pasted.txt", text), "--kubernetes-version", version)
    assert (code, held) == (0, HELD)
    assert "pods known by what they hold alone, and taken to ask for just that: 1" in err


@pytest.mark.parametrize("place", ["cpu_manager_state", "var/lib/kubelet/cpu_manager_state"])
def test_a_folder_with_state_files_alone_is_a_node(lone, tmp_path, place):
    (tmp_path / "node" / place).parent.mkdir(parents=True)
    (tmp_path / "node" / place).write_text(CPUS)
    assert lone(tmp_path / "node")[:2] == (0, HELD)


def test_memory_of_numa_nodes_is_as_the_state_file_has_it(lone, files, tmp_path):
    node = FakeNode(
        tmp_path / "dump", kubelet={**BEST_EFFORT, **MEMORY}, pods=PODS, version="1.36", machine="t1-one-socket-smt2"
    )
    text = (node.root / "var/lib/kubelet/memory_manager_state").read_text()
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({**BEST_EFFORT, **MEMORY}))
    (tmp_path / "one.yaml").write_text("name: one\nsockets: 1\ncoresPerNuma: 4\nthreads: 2\nmemory: 7000Mi\n")
    code, held, err = lone(
        files("pasted", text), "--machine", tmp_path / "one.yaml", "--config", tmp_path / "config.yaml", flags=""
    )
    assert (code, held["db-uid"]) == (0, {"main": ""})
    assert "memory and huge pages of NUMA nodes are as it has them" in err


BLOTTED = CPUS.replace('"checksum":0', '"checksum":77')


def test_an_edited_state_file_is_refused_with_the_way_on(lone, files):
    path = files("pasted.txt", BLOTTED)
    code, _, err = lone(path)
    assert code == 2
    assert "checkpoint is corrupted" in err
    assert "--state-as-it-is reads a file whose checksum does not fit, as of a text that was edited" in err
    code, held, err = lone(path, "--state-as-it-is")
    assert (code, held) == (0, HELD)
    assert "cpu_manager_state: the checksum does not fit, so no kubelet starts on it; it is read as it is" in err


@pytest.mark.parametrize("version", ["1.32", "1.36", "1.37"])
@pytest.mark.parametrize("name", ["cpu_manager_state", "memory_manager_state"])
def test_every_format_is_read_as_it_is(run, files, tmp_path, version, name):
    node = FakeNode(tmp_path / "dump", kubelet={**BEST_EFFORT, **MEMORY}, pods=PODS, version=version)
    path = node.root / "var/lib/kubelet" / name
    path.write_text(path.read_text().replace("db-uid", "blotted"))
    words = ["simulate", "--from-node", node.root, "--kubernetes-version", version, "--json"]
    assert run(*words)[0] == 2
    code, out, err = run(*words, "--state-as-it-is")
    assert code == 0
    assert "blotted" in cpus(json.loads(out))
    assert f"{name}: the checksum does not fit" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BLOTTED.replace("}},", '},"some-uid":{"b":"4"}},'), "the key 'some-uid' is given twice"),
        (CPUS[:40], "is no state file: "),
        ("nothing", "is no state file (accepted: a dump of a node, or the text of memory_manager_state"),
        ('{"kind": "Pod"}', "holds what is no state file"),
        (CPUS + CPUS, "holds cpu_manager_state twice"),
    ],
    ids=["a uid twice", "cut", "a word", "a pod", "two files of one name"],
)
def test_what_is_no_state_file_is_one_sentence(lone, files, text, words):
    code, held, err = lone(files("pasted.txt", text), "--state-as-it-is")
    assert (code, held, err.count("error:")) == (2, None, 1)
    assert words in err


def test_a_state_file_over_its_bound_is_one_sentence(lone, files, monkeypatch):
    monkeypatch.setattr("numa_conformance.doctor.state_files.MAX_STATE", 100)
    code, held, err = lone(files("pasted.txt", CPUS))
    assert (code, held, err.count("error:")) == (2, None, 1)
    assert "is larger than 100 bytes" in err


def test_a_damaged_file_of_devices_is_told(lone, files, tmp_path):
    files("cpu_manager_state", CPUS)
    files("kubelet_internal_checkpoint", '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":7}')
    code, held, err = lone(tmp_path)
    assert (code, held) == (0, HELD)
    assert "kubelet_internal_checkpoint: checkpoint is corrupted; a kubelet goes on without what it says" in err


def test_a_state_file_needs_a_machine_and_a_configuration(run, files):
    path = files("pasted.txt", CPUS)
    code, _, err = run("simulate", "--from-node", path, "--flags", FLAGS)
    assert (code, "pasted.txt" in err, "for state files alone a --machine: a text of lscpu" in err) == (2, True, True)
    code, _, err = run("simulate", "--from-node", path, "--machine", "snc2-small")
    assert code == 2
    assert "there is no configuration of one (accepted: --config FILE" in err


def test_check_node_takes_a_state_file_and_a_machine(run, files):
    config = files("kubelet.env", f"KUBELET_EXTRA_ARGS='{FLAGS}'")
    words = ["check-node", "--machine", files("m.yaml", MACHINE), "--config", config, "--from-node"]
    code, out, _ = run(*words, files("pasted.txt", CPUS))
    assert code == 0
    assert "0 errors, 0 warnings" in out
    code, out, _ = run(*words, files("pasted.txt", BLOTTED))
    assert code == 1
    assert "--state-as-it-is reads a text that was edited" in out
    code, out, _ = run(*words, files("pasted.txt", BLOTTED), "--state-as-it-is")
    assert "cpu_manager_state: the checksum does not fit" in out


def test_cpus_that_were_added_end_the_next_start_and_no_quirk_is_named(run, files):
    grown = files("grown.yaml", "name: grown\nsockets: 1\ncoresPerNuma: 6\nmemory: 16Gi\n")
    state = files("state", '{"policyName":"static","defaultCpuSet":"0-3","checksum":0}')
    config = files("kubelet.txt", "--cpu-manager-policy=static --kube-reserved=cpu=1")
    code, out, _ = run(
        "check-node", "--from-node", state, "--machine", grown, "--config", config, "--kubernetes-version", "1.34"
    )
    assert code == 1
    assert "CPUs 4-5 are neither shared nor exclusive" in out
    assert 'current set of available CPUs "0-5" doesn\'t match with CPUs in state "0-3"' in out
    assert "known for" not in out
    uneven = files("uneven.yaml", "name: u\ngroups: [{cpus: 0-3, socket: 0}, {cpus: 4-5, socket: 1}]\nmemory: 16Gi\n")
    _, out, _ = run(
        "check-node", "--from-node", state, "--machine", uneven, "--config", config, "--kubernetes-version", "1.34"
    )
    assert "known for: full-by-machine-average" in out


def test_a_folder_without_state_files_is_noted(run, files, tmp_path):
    (tmp_path / "nothing").mkdir()
    words = (
        "--machine",
        "one-cpu",
        "--flags",
        "--cpu-manager-policy=none",
        files("pod.yaml", yaml.safe_dump(pod("p", container("c")))),
    )
    _, _, err = run("simulate", "--from-node", tmp_path / "nothing", *words)
    assert f"no state file lies in {tmp_path / 'nothing'}" in err


EDITED = (
    '{"Data":{"PodDeviceEntries":[{"PodUID":"some-uid","ContainerName":"main","ResourceName":"v.example/nic",'
    '"DeviceIDs":{"0":["n0"]},"AllocResp":""}],"RegisteredDevices":{"v.example/nic":["n0","n1"]}}CHECKSUM}'
)


@pytest.mark.parametrize("checksum", [',"Checksum":7', ""])
def test_an_edited_file_of_devices_is_read_as_it_is(lone, files, tmp_path, checksum):
    files("cpu_manager_state", CPUS)
    files("kubelet_internal_checkpoint", EDITED.replace("CHECKSUM", checksum))
    words = "kubelet_internal_checkpoint: the checksum does not fit, so a kubelet passes over it; it is read as it is"
    assert words not in lone(tmp_path)[2]
    code, held, err = lone(tmp_path, "--state-as-it-is")
    assert (code, held) == (0, HELD)
    assert words in err
    assert "goes on without what it says" not in err
    assert "of 1 devices that are free the NUMA nodes are not known" in err


def test_names_of_members_may_be_in_any_case(lone, files):
    text = CPUS.replace("policyName", "policyname").replace("defaultCpuSet", "DEFAULTCPUSET")
    assert "policyname" in text
    assert lone(files("pasted.txt", text))[:2] == (0, HELD)
