"""What the kubelet's PodResources tells, asked over its socket."""

import pytest

grpc = pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from fake_nodes import PODS, FakeNode  # noqa: E402
from numa_conformance.doctor import pod_resources  # noqa: E402
from numa_conformance.doctor.collect import collect  # noqa: E402
from numa_conformance.doctor.findings import check  # noqa: E402
from numa_conformance.doctor.look import NodeSource, look  # noqa: E402
from numa_conformance.doctor.pod_resources import ask_kubelet  # noqa: E402
from numa_conformance.errors import UsageError  # noqa: E402
from numa_conformance.lab.kubelet_apis import interfaces  # noqa: E402
from numa_conformance.lab.kubelet_apis.interfaces import POD_RESOURCES as V1  # noqa: E402
from numa_conformance.lab.kubelet_apis.interfaces import serve, service  # noqa: E402

EMPTY = {"List": "Empty", "GetAllocatableResources": "Empty", "Get": "GetPodResourcesRequest"}


class Kubelet:
    """Answers as one does; ``cpus``: what it tells of container main of pod db."""

    def __init__(self, socket, cpus=(1, 17), got=None, allocatable=None):
        self._cpus, self._got, self._allocatable = cpus, got, allocatable
        answers = {"List": self.list, "Get": self.get, "GetAllocatableResources": self.allocatable}
        self._server = serve(str(socket), service(V1, "PodResourcesLister", answers, EMPTY))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._server.stop(0).wait()

    def _pod(self, cpus):
        return V1.PodResources(
            name="db", namespace="default", containers=[V1.ContainerResources(name="main", cpu_ids=cpus)]
        )

    def list(self, request, context):
        return V1.ListPodResourcesResponse(pod_resources=[self._pod(self._cpus)])

    def get(self, request, context):
        if self._got is None:
            context.abort(grpc.StatusCode.UNKNOWN, "PodResources API Get method disabled")
        assert (request.pod_name, request.pod_namespace) == ("db", "default")
        return V1.GetPodResourcesResponse(pod_resources=self._pod(self._got))

    def allocatable(self, request, context):
        return V1.AllocatableResourcesResponse(cpu_ids=self._allocatable or range(1, 32))


@pytest.fixture
def node(tmp_path):
    made = FakeNode(tmp_path / "node", pods=PODS[:1])
    made.program("v1.32.10")
    return made


def seen(node, socket):
    return check(look(NodeSource(node.root, pod_resources=str(socket))))


def test_what_agrees_gives_nothing(node, tmp_path):
    with Kubelet(tmp_path / "s", got=(1, 17)):
        found = seen(node, tmp_path / "s")
    assert (found.findings, found.notes) == ((), ())
    assert found.counts["protocol/state-agrees-with-answers"] == 1
    assert found.counts["cpu-manager/reservation/explicit-list-is-taken"] == 1


def test_other_cpus_than_the_state_file_has_are_found(node, tmp_path):
    with Kubelet(tmp_path / "s", cpus=(2, 18)):
        found = seen(node, tmp_path / "s")
    (one,) = found.findings
    assert one.message == "PodResources has other CPUs of container db-uid/main than cpu_manager_state"
    assert (one.got, one.allowed) == ("2,18", "1,17")
    assert found.notes == ("PodResources: Get is not answered: PodResources API Get method disabled",)


def test_get_is_the_newer_answer(node, tmp_path):
    with Kubelet(tmp_path / "s", cpus=(2, 18), got=(1, 17)):
        assert seen(node, tmp_path / "s").findings == ()


def test_reserved_cpus_are_those_that_cannot_be_given(node, tmp_path):
    with Kubelet(tmp_path / "s", got=(1, 17), allocatable=range(2, 32)):
        (one,) = seen(node, tmp_path / "s").findings
    assert one.requirement == "cpu-manager/reservation/explicit-list-is-taken"
    assert (one.got, one.allowed) == ("0-1", "0")


def test_a_dump_keeps_what_was_told(node, tmp_path):
    with Kubelet(tmp_path / "s", cpus=(2, 18)):
        collect(NodeSource(node.root, pod_resources=str(tmp_path / "s")), tmp_path / "dump")
    (one,) = check(look(NodeSource(tmp_path / "dump"))).findings
    assert one.evidence[0].file == "numa-conformance/pod-resources.json"


def test_a_kubelet_that_is_slow_is_asked_for_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(pod_resources, "PATIENCE", -1.0)
    with Kubelet(tmp_path / "s", got=(1, 17)):
        told = ask_kubelet(str(tmp_path / "s"))
    assert [pod.got for pod in told.pods] == [None]
    assert told.notes == ["Get is slow: 0 of 1 pods were asked for in -1 s"]


@pytest.mark.parametrize("streams", [False, True])
def test_an_answer_without_end_is_told_in_a_line(tmp_path, monkeypatch, streams):
    """As one message that is larger than any node's, or as one after another where one is expected."""
    monkeypatch.setattr(interfaces.GrpcClient.ask, "__defaults__", (1.0,))
    pod = V1.PodResources(name="p" * 1000)
    message = V1.ListPodResourcesResponse(pod_resources=[pod] * (1 if streams else 6000)).SerializeToString()

    def endless(request, context):
        while context.is_active():
            yield message

    handler = (
        grpc.unary_stream_rpc_method_handler(endless)
        if streams
        else grpc.unary_unary_rpc_method_handler(lambda request, context: message)
    )
    served = grpc.method_handlers_generic_handler("v1.PodResourcesLister", {"List": handler})
    server = serve(str(tmp_path / "s"), served)
    with pytest.raises(UsageError, match="PodResources does not answer") as refused:
        ask_kubelet(str(tmp_path / "s"))
    server.stop(0)
    assert len(str(refused.value).splitlines()) == 1


def test_a_socket_that_nobody_serves_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="PodResources does not answer"):
        ask_kubelet(str(tmp_path / "nobody"))
