"""Messages made from tables: numbers and kinds as published, unknown fields passed over."""

import pytest

grpc = pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.lab.kubelet_apis.interfaces import (  # noqa: E402  # noqa: E402
    CRI,
    DEVICE_PLUGINS,
    POD_RESOURCES,
    Package,
    ask,
    serve,
    service,
)


def test_a_message_has_the_bytes_of_its_published_numbers():
    resources = CRI.LinuxContainerResources(cpu_quota=-1, cpuset_cpus="0-3", cpuset_mems="1")
    assert resources.SerializeToString() == b"\x10" + b"\xff" * 9 + b"\x01" + b"\x32\x030-3" + b"\x3a\x011"


def test_maps_lists_and_messages_come_back_as_they_were_sent():
    config = CRI.PodSandboxConfig(metadata=CRI.PodSandboxMetadata(name="a", uid="u"), labels={"x": "y"})
    again = CRI.PodSandboxConfig.FromString(config.SerializeToString())
    assert (again.metadata.uid, dict(again.labels)) == ("u", {"x": "y"})
    device = DEVICE_PLUGINS.Device(
        ID="gpu-0", topology=DEVICE_PLUGINS.TopologyInfo(nodes=[DEVICE_PLUGINS.NUMANode(ID=3)])
    )
    assert [node.ID for node in DEVICE_PLUGINS.Device.FromString(device.SerializeToString()).topology.nodes] == [3]
    assert list(POD_RESOURCES.ContainerResources(cpu_ids=[1, 9]).cpu_ids) == [1, 9]


def test_fields_that_the_table_does_not_name_are_passed_over():
    wide = Package("p", {"Empty": "", "M": "a=1 b=2:int64 c=9"}).M(a="x", b=5, c="z")
    assert Package("p", {"Empty": "", "M": "a=1"}).M.FromString(wide.SerializeToString()).a == "x"


def test_a_service_answers_on_a_unix_socket_and_says_what_it_does_not_have(tmp_path):
    package = Package("greeter.v1", {"Empty": "", "HelloRequest": "name=1", "HelloResponse": "text=1"})
    hello = service(
        package, "Greeter", {"Hello": lambda request, _: package.HelloResponse(text=f"hello {request.name}")}
    )
    server = serve(f"{tmp_path}/s", hello)
    try:
        request = package.HelloRequest(name="you")
        assert ask(f"{tmp_path}/s", package, "Greeter/Hello", request, "HelloResponse").text == "hello you"
        with pytest.raises(grpc.RpcError) as refused:
            ask(f"{tmp_path}/s", package, "Greeter/Bye", request, "Empty")
        assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED
    finally:
        server.stop(None)
