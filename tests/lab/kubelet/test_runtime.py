"""The container runtime that starts nothing, asked as a kubelet asks it."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

grpc = pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance.lab.kubelet.cri_objects import RefusedError  # noqa: E402
from numa_conformance.lab.kubelet.runtime import FakeRuntime  # noqa: E402
from numa_conformance.lab.kubelet_apis.interfaces import CRI, ask  # noqa: E402
from processes import PATIENCE  # noqa: E402

RUNNING, EXITED = 1, 2


@pytest.fixture
def may_run():
    """What each pod may, by uid; those not named run."""
    return {}


@pytest.fixture
def runtime(tmp_path, may_run):
    made = FakeRuntime(tmp_path, lambda uid, name: name == "init", lambda uid: may_run.get(uid, True))
    yield made
    made.close()


@pytest.fixture
def call(runtime):
    def method(name, answer="Empty", **fields):
        request = CRI.of(f"{name}Request")(**fields)
        return ask(f"{runtime.folder}/cri.sock", CRI, f"RuntimeService/{name}", request, answer)

    return method


def a_pod(call, uid="u", pid=2):
    options = CRI.NamespaceOption(pid=pid)
    linux = CRI.LinuxPodSandboxConfig(security_context=CRI.LinuxSandboxSecurityContext(namespace_options=options))
    config = CRI.PodSandboxConfig(
        metadata=CRI.PodSandboxMetadata(name="p", uid=uid), labels={"a": uid}, linux=linux, log_directory="/logs/p"
    )
    return call("RunPodSandbox", "RunPodSandboxResponse", config=config).pod_sandbox_id


def a_container(call, sandbox, name="c", cpus="0-3", mems="0"):
    resources = CRI.LinuxContainerResources(cpuset_cpus=cpus, cpuset_mems=mems)
    config = CRI.ContainerConfig(
        metadata=CRI.ContainerMetadata(name=name),
        log_path=f"{name}.log",
        linux=CRI.LinuxContainerConfig(resources=resources),
    )
    return call("CreateContainer", "CreateContainerResponse", pod_sandbox_id=sandbox, config=config).container_id


def test_a_sandbox_repeats_the_namespaces_it_was_asked_for(call):
    status = call("PodSandboxStatus", "PodSandboxStatusResponse", pod_sandbox_id=a_pod(call, pid=2)).status
    assert status.linux.namespaces.options.pid == 2


def test_a_container_runs_until_it_is_stopped_and_an_init_container_ends_by_itself(call):
    sandbox = a_pod(call)
    app, init = a_container(call, sandbox), a_container(call, sandbox, "init")
    for one in (app, init):
        call("StartContainer", container_id=one)
    status = {one: call("ContainerStatus", "ContainerStatusResponse", container_id=one).status for one in (app, init)}
    assert {one.metadata.name: one.state for one in status.values()} == {"c": RUNNING, "init": EXITED}
    call("StopContainer", container_id=app)
    assert call("ContainerStatus", "ContainerStatusResponse", container_id=app).status.state == EXITED
    # What it begins with is removed with the container: were it empty, all files of the working directory would be.
    assert status[app].log_path == "/logs/p/c.log"


def test_an_update_changes_what_it_names_and_nothing_else(call, runtime):
    container = a_container(call, a_pod(call), cpus="0-3", mems="1")
    call("UpdateContainerResources", container_id=container, linux=CRI.LinuxContainerResources(cpuset_cpus="2"))
    told = runtime.containers_of("u")["c"].resources
    assert (told.cpuset_cpus, told.cpuset_mems) == ("2", "1")


def test_lists_are_filtered_by_id_state_and_labels(call):
    first, second = a_pod(call, "u"), a_pod(call, "v")
    call("StopPodSandbox", pod_sandbox_id=second)

    def listed(**wanted):
        found = call("ListPodSandbox", "ListPodSandboxResponse", filter=CRI.PodSandboxFilter(**wanted))
        return [one.id for one in found.items]

    assert listed() == [first, second]
    assert listed(id=second) == [second]
    assert listed(label_selector={"a": "u"}) == [first]
    assert listed(state=CRI.StateValue(state=0)) == [first]  # ready


def test_what_is_gone_is_not_found(call):
    with pytest.raises(grpc.RpcError) as refused:
        call("ContainerStatus", "ContainerStatusResponse", container_id="container9")
    assert refused.value.code() == grpc.StatusCode.NOT_FOUND


def test_a_container_is_made_when_its_pod_may_run_and_what_it_is_to_have_is_known_before(call, runtime, may_run):
    may_run["u"] = False
    sandbox = a_pod(call)
    with ThreadPoolExecutor() as waiting:
        made = waiting.submit(a_container, call, sandbox, cpus="2-3")
        with runtime.changed:
            assert runtime.changed.wait_for(lambda: runtime.containers_of("u"), PATIENCE)
        assert runtime.containers_of("u")["c"].resources.cpuset_cpus == "2-3"
        assert not call("ListContainers", "ListContainersResponse").containers
        may_run["u"] = True
        runtime.tell()
        assert made.result(PATIENCE)
    assert len(call("ListContainers", "ListContainersResponse").containers) == 1


def test_a_container_has_the_environment_of_its_cdi_devices(call, runtime, tmp_path):
    spec = {"kind": "cpu.test/set", "devices": [{"name": "a", "containerEdits": {"env": ["CPUSET=2-3"]}}]}
    (tmp_path / "cdi" / "a.json").write_text(json.dumps(spec))
    config = CRI.ContainerConfig(metadata=CRI.ContainerMetadata(name="c"))
    config.CDI_devices.add(name="cpu.test/set=a")
    call("CreateContainer", "CreateContainerResponse", pod_sandbox_id=a_pod(call), config=config)
    assert runtime.containers_of("u")["c"].environment == ["CPUSET=2-3"]
    config.CDI_devices.add(name="cpu.test/set=b")
    with pytest.raises(grpc.RpcError, match="there is no CDI device"):
        call("CreateContainer", "CreateContainerResponse", pod_sandbox_id=a_pod(call), config=config)


def test_who_hears_of_a_container_may_change_or_refuse_it(call, runtime):
    heard = []

    def hears(event, sandbox, container):
        heard.append((event, container.name if container else sandbox.uid))
        if event == "CreateContainer" and container.name == "bad":
            raise RefusedError("no room")
        if event == "CreateContainer":
            container.resources.cpuset_cpus = "7"

    runtime.hears = hears
    sandbox = a_pod(call)
    call("StartContainer", container_id=a_container(call, sandbox))
    with pytest.raises(grpc.RpcError, match="no room"):
        a_container(call, sandbox, "bad")
    call("StopPodSandbox", pod_sandbox_id=sandbox)
    call("StopPodSandbox", pod_sandbox_id=sandbox)  # a kubelet may say it twice
    call("RemovePodSandbox", pod_sandbox_id=sandbox)
    assert heard == [
        ("RunPodSandbox", "u"), ("CreateContainer", "c"), ("PostCreateContainer", "c"), ("StartContainer", "c"),
        ("PostStartContainer", "c"), ("CreateContainer", "bad"), ("StopPodSandbox", "u"), ("RemovePodSandbox", "u"),
    ]  # fmt: skip
    assert runtime.containers_of("u")["c"].resources.cpuset_cpus == "7"
    assert runtime.refused == {"u": "no room"}


def test_a_container_of_a_pod_that_went_is_never_made(call, runtime, may_run):
    may_run["u"] = None
    with pytest.raises(grpc.RpcError) as refused:
        a_container(call, a_pod(call))
    assert refused.value.code() == grpc.StatusCode.UNAVAILABLE
    assert runtime.containers_of("u") == {}
