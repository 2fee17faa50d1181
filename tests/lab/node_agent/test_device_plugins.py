"""Real device plugins on the reference's Device Manager, over their protocol."""

import json
import threading
from functools import partial

import pytest

grpc = pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.lab.kubelet.device_plugin import plugins_of  # noqa: E402
from numa_conformance.lab.node_agent import registration  # noqa: E402
from numa_conformance.lab.node_agent.agent import ConnectedPlugin  # noqa: E402
from processes import wait_until  # noqa: E402
from served import NIC, V1BETA1, Plugin, Served, device, machine, pod, records  # noqa: E402


def healthy(served):
    told = served.ask("GetAllocatableResources", "AllocatableResourcesResponse")
    return sorted({one.device_ids[0] for one in told.devices})


@pytest.fixture
def served(tmp_path):
    with Served(tmp_path) as node:
        yield node


def test_the_plugins_that_an_unmodified_kubelet_gets_serve_the_reference_too(served):
    (plugin,) = plugins_of(
        machine({"id": "n0", "numa": [0]}, {"id": "n1", "healthy": False}), served.root.device_plugins
    )
    try:
        plugin.register()
        wait_until(lambda: healthy(served) == ["n0"])
        assert served.told == [f"{NIC}: a device plugin has registered", f"{NIC}: 2 devices, unhealthy: n1"]
    finally:
        plugin.close()


def test_a_pod_waits_for_the_plugin_and_is_given_what_the_plugin_prefers(served):
    served.put(pod("a", nic=2))
    with Plugin(served, device("n0", 0), device("n1", 0), device("n2", 0), prefers=True, pre_start=True) as plugin:
        plugin.register()
        wait_until(lambda: served.list())
        assert records(served.containers("a")["c"]) == [(["n1"], [0]), (["n2"], [0])]
        assert plugin.asked == [
            ("prefer", ["n0", "n1", "n2"], [], 2),
            ("allocate", ["n1", "n2"]),
            ("start", ["n1", "n2"]),
        ]


def test_devices_are_aligned_with_cpus(served):
    with Plugin(served, device("n0", 1), device("n1", 0)).register():
        wait_until(lambda: healthy(served))
        served.put(pod("a", nic=1, cpu=4), pod("b", nic=1, cpu=4))
        for name in ("a", "b"):
            container = served.containers(name)["c"]
            ((_, (node,)),) = records(container)
            bits = sum(1 << cpu for cpu in container.cpu_ids)
            assert not bits & ~served.agent.node.machine.numa_bits[node]


def test_the_answer_to_an_allocation_stands_in_the_checkpoint(served):
    with Plugin(served, device("n0", 0)).register():
        wait_until(lambda: healthy(served))
        served.put(pod("a", nic=1))
    (entry,) = json.loads((served.root.device_plugins / "kubelet_internal_checkpoint").read_text())["Data"][
        "PodDeviceEntries"
    ]
    assert (entry["ResourceName"], entry["DeviceIDs"]) == (NIC, {"0": ["n0"]})
    assert entry["AllocResp"] == "CggKA05JQxIBMQ=="


def test_a_device_that_turns_ill_is_no_longer_given_and_stays_with_who_has_it(served):
    with Plugin(served, device("n0"), device("n1")) as plugin:
        plugin.register()
        wait_until(lambda: healthy(served) == ["n0", "n1"])
        served.put(pod("a", nic=2))
        plugin.list(device("n0", health="Unhealthy"), device("n1"))
        wait_until(lambda: healthy(served) == ["n1"])
        assert [ids for ids, _ in records(served.containers("a")["c"])] == [["n0"], ["n1"]]
        served.put(pod("b", nic=1))
        assert served.told[-1].endswith("requested number of devices unavailable for vendor.example/nic. "
                                        "Requested: 1, Available: 0, which is unexpected")  # fmt: skip


def test_a_plugin_that_goes_leaves_no_healthy_device_and_one_that_comes_back_brings_them(served):
    with Plugin(served, device("n0")).register():
        wait_until(lambda: healthy(served) == ["n0"])
        served.put(pod("a", nic=1))
    wait_until(lambda: healthy(served) == [])
    assert [ids for ids, _ in records(served.containers("a")["c"])] == [["n0"]]
    served.put(pod("b", nic=1))
    assert "no healthy devices present" in served.told[-1]
    with Plugin(served, device("n0"), device("n1")).register():
        wait_until(lambda: healthy(served) == ["n0", "n1"])
        served.put(pod("c", nic=1))
        assert [ids for ids, _ in records(served.containers("c")["c"])] == [["n1"]]


def test_a_plugin_that_does_not_come_back_takes_its_resource_with_it(served, monkeypatch):
    with Plugin(served, device("n0")).register():
        wait_until(lambda: healthy(served) == ["n0"])
    wait_until(lambda: healthy(served) == [])
    monkeypatch.setattr(registration, "GRACE_SECONDS", 0)
    served.put(pod("a", nic=1))
    assert served.told[-2:] == [
        f"{NIC}: its device plugin did not come back, the node has none now",
        f"default/a waits: nobody offers {NIC}",
    ]


def test_a_plugin_that_registers_again_takes_the_place_of_the_former_one(served):
    with Plugin(served, device("n0")).register():
        wait_until(lambda: healthy(served) == ["n0"])
        with Plugin(served, device("n9"), endpoint="other.sock").register():
            wait_until(lambda: healthy(served) == ["n9"])
            assert not any("is gone" in line for line in served.told)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"version": "v1"}, 'requested API version "v1" is not supported by kubelet. Supported version is ["v1beta1"]'),
        ({"resource": "cpu"}, 'the ResourceName "cpu" is invalid'),
        ({"endpoint": "../plugin.sock"}, 'the endpoint "../plugin.sock" is no name of a socket'),
        ({"endpoint": "x" * 108}, "is too long for a socket"),
        ({"endpoint": "kubelet.sock"}, "failed to get device plugin options: rpc error: code = Unimplemented"),
    ],
)
def test_a_registration_that_is_wrong_is_refused_and_told(served, asked, told):
    with Plugin(served) as plugin, pytest.raises(grpc.RpcError) as refused:
        plugin.register(**asked)
    assert told in refused.value.details()
    (line,) = served.told
    assert told in line


def test_a_plugin_that_does_not_serve_is_not_waited_for_long(served, monkeypatch):
    monkeypatch.setattr(ConnectedPlugin, "DIAL_SECONDS", 0.05)
    with Plugin(served) as plugin, pytest.raises(grpc.RpcError, match="failed to dial device plugin"):
        plugin.register(endpoint="nobody.sock")


def test_faults_of_a_list_are_told_once_in_a_line_each_and_the_rest_is_taken(served):
    listed = [
        device("n0", 7),
        device("n1", 2**40),
        device("n2", -1),
        device("n3", 0),
        device("n3", 1),
        device("x" * 64),
    ]
    with Plugin(served, *listed, device("n4", health="fine\nreally")) as plugin:
        plugin.register()
        wait_until(lambda: len(healthy(served)) == 5)
        plugin.list(*listed)
        masks = {"n0": 1 << 7, "n1": 0, "n2": 0, "n3": 2, "x" * 64: 0}
        wait_until(lambda: served.agent.view.devices[NIC].masks == masks)
        assert len(served.told) == 7
        assert [line.removeprefix(f"{NIC}: ") for line in served.told[1:5]] == [
            "3 of its devices name a NUMA node that the machine does not have, the first of them 'n0'",
            "1 of its devices are listed more than once, of which the last counts, the first of them 'n3'",
            f"1 of its devices have an id of more than 63 characters, the first of them '{'x' * 64}'",
            "1 of its devices are neither Healthy nor Unhealthy, which counts as unhealthy, the first of them 'n4'",
        ]


@pytest.mark.parametrize("policy", ["none", "best-effort", "restricted", "single-numa-node"])
@pytest.mark.parametrize("node", [-1, 7, 1 << 40])
def test_a_device_on_a_node_that_is_not_there_has_a_topology_and_suits_no_node(tmp_path, policy, node):
    config = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "topologyManagerPolicy": policy}
    with Served(tmp_path, config=config) as served, Plugin(served, device("n0", node)).register():
        offered = partial(served.ask, "GetAllocatableResources", "AllocatableResourcesResponse")
        wait_until(lambda: records(offered()))
        assert records(offered()) == [(["n0"], [node])]
        served.put(pod("a", nic=1))
        if policy in ("restricted", "single-numa-node"):
            assert served.told[-1].startswith("default/a refused, TopologyAffinityError")
            return
        assert records(served.containers("a")["c"]) == [(["n0"], [] if node == -1 else [node])]
        (entry,) = json.loads((served.root.device_plugins / "kubelet_internal_checkpoint").read_text())["Data"][
            "PodDeviceEntries"
        ]
        assert entry["DeviceIDs"] == {str(node): ["n0"]}


def test_a_topology_without_nodes_is_no_topology_but_not_allocatable(served):
    bare = V1BETA1.Device(ID="n0", health="Healthy", topology=V1BETA1.TopologyInfo())
    with Plugin(served, bare).register():
        wait_until(lambda: served.told[-1].endswith("1 devices"))
        assert healthy(served) == []
        served.put(pod("a", nic=1))
        assert records(served.containers("a")["c"]) == [(["n0"], [])]


def test_a_list_that_is_too_long_is_not_taken(served):
    with Plugin(served, *(device(str(number)) for number in range(16385))).register():
        wait_until(lambda: len(served.told) == 2)
        assert served.told[1] == f"{NIC}: lists 16385 devices, of which 16384 are taken at most"
        assert healthy(served) == []


def test_a_message_that_is_too_large_ends_the_plugin_in_a_line(served, capfd):
    with Plugin(served, device("x" * 5_000_000)).register():
        wait_until(lambda: len(served.told) == 2)
        assert "is gone, no device is healthy: rpc error: code = ResourceExhausted" in served.told[1]
        assert capfd.readouterr().err == ""


def test_faults_are_not_told_for_ever(served):
    with Plugin(served) as plugin:
        plugin.register()
        for number in range(50):
            plugin.list(device(f"n{number}", 9))
        plugin.list(device("last"))
        wait_until(lambda: healthy(served) == ["last"])
        assert sum("NUMA node" in line for line in served.told) == 20
        assert f"{NIC}: more faults, which are not reported" in served.told


def fail(request, context):
    context.abort(grpc.StatusCode.INTERNAL, "no\nsuch thing")


@pytest.mark.parametrize(
    ("method", "answer", "told"),
    [
        (
            "Allocate",
            fail,
            "Allocate failed due to rpc error: code = Internal desc = no such thing, which is unexpected",
        ),
        ("Allocate", lambda *_: V1BETA1.AllocateResponse(), "no containers return in allocation response"),
        (
            "GetPreferredAllocation",
            fail,
            "device plugin GetPreferredAllocation rpc failed with err: rpc error: code = ",
        ),
        ("PreStartContainer", fail, "device plugin PreStartContainer rpc failed with err: rpc error: code = Internal"),
    ],
)
def test_a_call_that_fails_is_told_with_the_pod_in_the_kubelets_words(served, method, answer, told):
    with Plugin(served, device("n0"), device("n1"), prefers=True, pre_start=True, **{method: answer}) as plugin:
        plugin.register()
        wait_until(lambda: healthy(served) == ["n0", "n1"])
        served.put(pod("a", nic=1))
        assert served.told[-1].startswith("default/a ")
        assert told in served.told[-1]
        assert "\n" not in served.told[-1]


def test_a_preference_for_devices_that_are_not_there_is_filtered(served):
    wanted = V1BETA1.ContainerPreferredAllocationResponse(deviceIDs=["none", "n1", "n1", "n0"])
    answer = V1BETA1.PreferredAllocationResponse(container_responses=[wanted])
    plugin = Plugin(served, *map(device, ("n0", "n1", "n2")), prefers=True, GetPreferredAllocation=lambda *_: answer)
    with plugin.register():
        wait_until(lambda: len(healthy(served)) == 3)
        served.put(pod("a", nic=1))
        assert plugin.asked[0] == ("allocate", ["n1"])


def test_pod_resources_answers_while_a_plugin_does_not(served):
    def ask_back(request, context):
        plugin.asked.append([one.name for one in served.list()])
        return V1BETA1.AllocateResponse(container_responses=[V1BETA1.ContainerAllocateResponse()])

    plugin = Plugin(served, device("n0"), Allocate=ask_back)
    with plugin.register():
        wait_until(lambda: healthy(served))
        served.put(pod("first"), pod("second", nic=1))
        assert plugin.asked == [["first"]]


def test_a_plugin_that_never_answers_costs_its_pod_alone(served, monkeypatch):
    end = threading.Event()
    with Plugin(served, device("n0"), Allocate=lambda *_: end.wait()).register():
        wait_until(lambda: healthy(served))
        monkeypatch.setattr(ConnectedPlugin, "CALL_SECONDS", 0.1)
        served.put(pod("a", nic=1), pod("b"))
        assert "DeadlineExceeded" in served.told[-2]
        assert served.told[-1] == "default/b admitted"
        end.set()
