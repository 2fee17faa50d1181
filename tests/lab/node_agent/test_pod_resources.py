"""What PodResources says of a node, asked over its socket."""

import stat

import pytest

grpc = pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.lab.node_agent.serving import RateLimit  # noqa: E402
from served import NIC, STATIC, V1, Served, pod, records  # noqa: E402

DEVICES = (
    {"id": "nic-0", "numa": [0]},
    {"id": "nic-1", "numa": [0, 1]},
    {"id": "nic-2"},
    {"id": "nic-3", "numa": [1], "healthy": False},
)


def test_a_pod_has_its_exclusive_cpus_and_one_in_the_shared_pool_has_none(tmp_path):
    with Served(tmp_path) as served:
        served.put(pod("a", cpu=2), pod("b", cpu="500m"))
        placed = served.agent.node.state().pods["default/a"]["c"]
        assert sorted(served.containers("a")["c"].cpu_ids) == sorted(placed.cpu_set)
        assert len(placed.cpu_set) == 2
        assert list(served.containers("b")["c"].cpu_ids) == []


def test_a_device_on_two_nodes_has_two_records_and_one_without_topology_has_one(tmp_path):
    with Served(tmp_path, devices=DEVICES) as served:
        served.put(pod("a", nic=3))
        found = records(served.containers("a")["c"])
        assert sorted(found) == [(["nic-0"], [0]), (["nic-1"], [0]), (["nic-1"], [1]), (["nic-2"], [])]


def test_allocatable_is_what_can_be_given_whoever_has_it(tmp_path):
    with Served(tmp_path, devices=DEVICES) as served:
        before = served.ask("GetAllocatableResources", "AllocatableResourcesResponse")
        served.put(pod("a", cpu=4, nic=1))
        after = served.ask("GetAllocatableResources", "AllocatableResourcesResponse")
        assert before == after
        assert sorted(after.cpu_ids) == list(range(1, 32))
        assert {one.device_ids[0] for one in after.devices} == {"nic-0", "nic-1", "nic-2"}
        assert {one.resource_name for one in after.devices} == {NIC}


def test_memory_is_told_by_node_and_by_block(tmp_path):
    reserved = [{"numaNode": 0, "limits": {"memory": "1Gi"}}]
    config = {**STATIC, "memoryManagerPolicy": "Static", "reservedMemory": reserved}
    config |= {"systemReserved": {"memory": "1Gi"}, "evictionHard": {"memory.available": "0Mi"}}
    with Served(tmp_path, config=config) as served:
        served.put(pod("a", cpu=1, memory="2Gi"))
        (block,) = served.containers("a")["c"].memory
        (own,) = served.agent.node.state().pods["default/a"]["c"].memory
        assert (block.memory_type, block.size) == ("memory", 2 << 30)
        assert tuple(node.ID for node in block.topology.nodes) == own.nodes
        told = served.ask("GetAllocatableResources", "AllocatableResourcesResponse").memory
        books = served.agent.node.pools.memory
        assert {one.topology.nodes[0].ID: one.size for one in told} == {
            node: table.tables["memory"].allocatable for node, table in books.items()
        }


def test_sidecars_are_told_of_before_apps_and_ordinary_init_containers_never(tmp_path):
    with Served(tmp_path) as served:
        served.put(pod("a", init="first", sidecar="beside"))
        assert list(served.containers("a")) == ["beside", "c"]


@pytest.mark.parametrize(("version", "names"), [("1.33", ["b", "a"]), ("1.34", ["b"])])
def test_before_1_34_pods_that_were_refused_are_listed_too(tmp_path, version, names):
    with Served(tmp_path, version=version) as served:
        served.put(pod("a", cpu=100), pod("b"))
        assert [one.name for one in served.list()] == names
        assert "default/a refused, " in served.told[0]
        assert [
            list(container.cpu_ids) for one in served.list() if one.name == "a" for container in one.containers
        ] in ([], [[]])


def test_get_tells_of_one_pod_and_says_which_there_is_none(tmp_path):
    with Served(tmp_path) as served:
        served.put(pod("a"))
        request = V1.GetPodResourcesRequest(pod_name="a", pod_namespace="default")
        assert served.ask("Get", "GetPodResourcesResponse", request).pod_resources == served.list()[0]
        with pytest.raises(grpc.RpcError, match="pod b in namespace default not found"):
            served.ask("Get", "", V1.GetPodResourcesRequest(pod_name="b", pod_namespace="default"))


def test_get_is_off_where_its_gate_is(tmp_path):
    with Served(tmp_path, version="1.32") as served, pytest.raises(grpc.RpcError, match="Get method disabled"):
        served.ask("Get", "", V1.GetPodResourcesRequest(pod_name="a", pod_namespace="default"))


def test_one_request_too_many_is_rejected_until_time_goes_on():
    now = [0.0]
    limit = RateLimit(lambda: now[0])
    assert [limit.allows() for _ in range(11)] == [True] * 10 + [False]
    now[0] += 0.02
    assert [limit.allows() for _ in range(3)] == [True, True, False]


def test_a_flood_of_requests_is_rejected_as_by_a_kubelet(tmp_path, monkeypatch):
    monkeypatch.setattr(RateLimit, "AT_ONCE", 0.0)
    with Served(tmp_path) as served, pytest.raises(grpc.RpcError) as refused:
        served.list()
    assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert refused.value.details() == "rejected by rate limit"


def test_the_socket_is_the_users_alone_and_gone_afterwards(tmp_path):
    with Served(tmp_path) as served:
        status = served.root.pod_resources.stat()
        assert stat.S_ISSOCK(status.st_mode)
        assert stat.S_IMODE(status.st_mode) == 0o600
    assert not served.root.pod_resources.exists()
