"""The stand-in of the API server: ResourceSlices as drivers write them, of every version, and those who watch."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.lab.dra.api_server import ApiServer
from numa_conformance.lab.kubelet_apis.interfaces import RESOURCE_API
from processes import PATIENCE

CLAIM = {
    "metadata": {"name": "a", "namespace": "default", "uid": "u"},
    "spec": {"devices": {"requests": [{"name": "cpus", "exactly": {"deviceClassName": "cpu"}}]}},
}


@pytest.fixture
def server() -> Iterator[ApiServer]:
    server = ApiServer("here")
    yield server
    server.close()


def ask(server: ApiServer, method: str, path: str, body: bytes | None = None) -> Any:
    request = urllib.request.Request(f"{server.url}/{path}", body, method=method)
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.readline())


def written(generation: int = 1, count: int = 1, **device: object) -> bytes:
    pool = {"name": "here", "generation": generation, "resourceSliceCount": count}
    return json.dumps({"spec": {"driver": "cpu.test", "pool": pool, "devices": [{"name": "d", **device}]}}).encode()


SLICES = "apis/resource.k8s.io/v1/resourceslices"


def test_a_slice_in_protobuf_is_read_with_numbers_that_are_zero(server: ApiServer) -> None:
    message = RESOURCE_API.ResourceSlice()
    message.spec.driver = "cpu.test"
    message.spec.pool.name, message.spec.pool.resourceSliceCount = "here", 1
    device = message.spec.devices.add(name="d", allowMultipleAllocations=True)
    device.attributes.add(key="resource.kubernetes.io/numaNode").value.int = 0
    device.capacity.add(key="cpu").value.value.string = "4"
    envelope = RESOURCE_API.Unknown(raw=message.SerializeToString())
    ask(server, "POST", SLICES, b"k8s\x00" + envelope.SerializeToString())
    (spec,) = server.published()
    assert spec["devices"] == [
        {
            "name": "d",
            "attributes": {"resource.kubernetes.io/numaNode": {"int": 0}},
            "capacity": {"cpu": {"value": "4"}},
            "allowMultipleAllocations": True,
        }
    ]
    assert server.is_complete()


def test_slices_whose_names_are_to_be_made_have_names_of_their_own(server: ApiServer) -> None:
    for number in range(2):
        message = RESOURCE_API.ResourceSlice()
        message.metadata.name, message.metadata.generateName = "", f"{number}-here-"
        message.spec.driver, message.spec.pool.name = "cpu.test", "here"
        message.spec.pool.resourceSliceCount = 2
        ask(
            server,
            "POST",
            SLICES,
            b"k8s\x00" + RESOURCE_API.Unknown(raw=message.SerializeToString()).SerializeToString(),
        )
    assert len(server.published()) == 2
    assert server.is_complete()


def test_a_slice_with_too_many_devices_is_refused(server: ApiServer) -> None:
    devices = [{"name": f"d-{number}"} for number in range(129)]
    body = {"spec": {"driver": "cpu.test", "pool": {"name": "here"}, "devices": devices}}
    with pytest.raises(urllib.error.HTTPError) as failed:
        ask(server, "POST", SLICES, json.dumps(body).encode())
    assert "Too many: 129" in json.loads(failed.value.read())["message"]
    assert server.published() == []


def test_a_device_of_v1beta1_is_told_as_one_of_v1(server: ApiServer) -> None:
    ask(server, "POST", SLICES.replace("v1", "v1beta1"), written(basic={"capacity": {"cpu": {"value": "4"}}}))
    assert server.published()[0]["devices"] == [{"name": "d", "capacity": {"cpu": {"value": "4"}}}]


def test_of_a_pool_its_newest_generation_counts_once_it_is_whole(server: ApiServer) -> None:
    ask(server, "POST", SLICES, written(generation=1))
    ask(server, "POST", SLICES, written(generation=2, count=2))
    assert [spec["pool"]["generation"] for spec in server.published()] == [2]
    assert not server.is_complete()
    ask(server, "POST", SLICES, written(generation=2, count=2))
    assert server.is_complete()


def test_who_watches_is_told_of_what_is_there(server: ApiServer) -> None:
    created = ask(server, "POST", SLICES, written())
    event = ask(server, "GET", f"{SLICES}?watch=true&sendInitialEvents=true")
    assert (event["type"], event["object"]["metadata"]["name"]) == ("ADDED", created["metadata"]["name"])


def test_a_claim_is_told_in_the_form_of_the_version_that_is_asked(server: ApiServer) -> None:
    server.claims["default", "a"] = CLAIM
    new, old = (
        ask(server, "GET", f"apis/resource.k8s.io/{version}/namespaces/default/resourceclaims/a")
        for version in ("v1", "v1beta1")
    )
    assert new["spec"] == CLAIM["spec"]
    assert old["spec"]["devices"]["requests"] == [{"name": "cpus", "deviceClassName": "cpu"}]


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "api/v1/pods", None, 404),
        ("GET", "apis/resource.k8s.io/v1/namespaces/default/resourceclaims/nobody", None, 404),
        ("POST", SLICES, b"k8s\x00\xff", 400),
        *(("POST", SLICES, body, 400) for body in (b"[]", b"[" * 100_000, b'{"metadata": 7}', b'{"spec": 7}', b"{NaN")),
        *(("POST", SLICES, b'{"spec": {"devices": %s}}' % one, 400) for one in (b"7", b"[7]", b'[{"basic": 7}]')),
        ("POST", SLICES, b'{"spec": {"pool": {"generation": "x"}}}', 400),
        ("PUT", "apis/resource.k8s.io/v1/namespaces/default/resourceclaims/a/status", b'{"status": 7}', 400),
        ("GET", f"{SLICES}?watch=1&resourceVersion=x", None, 400),
        ("PATCH", f"{SLICES}/s", b"{}", 400),
    ],
)
def test_what_it_does_not_serve_is_an_error_of_the_api(
    server: ApiServer, method: str, path: str, body: bytes | None, code: int
) -> None:
    server.claims["default", "a"] = dict(CLAIM)
    with pytest.raises(urllib.error.HTTPError) as failed:
        ask(server, method, path, body)
    assert failed.value.code == code
    assert json.loads(failed.value.read())["kind"] == "Status"


@pytest.mark.parametrize("length", ["-1", "x", "9" * 20, "9" * 5000])
def test_a_length_that_is_none_is_an_error_of_the_api(server: ApiServer, length: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as channel:
        channel.sendall(f"POST /{SLICES} HTTP/1.1\r\nContent-Length: {length}\r\n\r\n".encode())
        assert channel.makefile("rb").read().startswith(b"HTTP/1.1 400 ")
