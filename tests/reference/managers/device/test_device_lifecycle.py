"""Devices over the life of a pod: reuse after init containers, release, checkpoint."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import Refusal
from numa_conformance.machine.model import Device
from numa_conformance.reference.managers.device import DeviceEntry, DeviceManager
from numa_conformance.reference.managers.hint import NO_AFFINITY
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import DeviceQuirks
from numa_conformance.sources.versions import DEFAULT, KubernetesVersion
from reference.managers.device.scenarios import GPU, container, machine, pod

EXACT = Quirks.of(DEFAULT).device
FIRST_1_27 = KubernetesVersion(1, 27, 0)


def manager(count: int = 4, prefix: str = "d") -> DeviceManager:
    return DeviceManager(machine([(f"{prefix}{one}", [one % 2]) for one in range(count)]), quirks=EXACT)


def admit(asked: DeviceManager, whole) -> dict[str, tuple[str, ...]]:
    for one in whole.all_containers:
        asked.allocate(whole, one, NO_AFFINITY)
    return {one.name: asked.allocated(whole.uid, one.name).get(GPU, ()) for one in whole.all_containers}


def test_apps_reuse_the_devices_of_init_containers_once() -> None:
    whole = pod("p", container("one", 1), container("two", 2), init=[container("start", 2)])
    got = admit(manager(), whole)
    assert got == {"start": ("d0", "d1"), "one": ("d0",), "two": ("d1", "d2")}


def test_init_containers_one_after_the_other_share_devices() -> None:
    whole = pod("p", container("app", 3), init=[container("first", 2), container("second", 3)])
    got = admit(manager(3), whole)
    assert got == {"first": ("d0", "d1"), "second": ("d0", "d1", "d2"), "app": ("d0", "d1", "d2")}


def test_a_sidecar_keeps_what_it_took_from_an_init_container() -> None:
    whole = pod("p", container("app", 1), init=[container("start", 1), container("side", 1, sidecar=True)])
    assert admit(manager(2), whole) == {"start": ("d0",), "side": ("d0",), "app": ("d1",)}


def test_another_pod_does_not_get_what_an_init_container_left() -> None:
    asked = manager(2)
    admit(asked, pod("p", container("app"), init=[container("start", 2)]))
    with pytest.raises(Refusal, match="Requested: 1, Available: 0"):
        admit(asked, pod("q", container("c", 1)))


def test_reuse_ends_when_another_pod_is_allocated() -> None:
    asked = manager(3)
    start, app = container("start", 1), container("app", 1)
    whole = pod("p", app, init=[start])
    asked.allocate(whole, start, NO_AFFINITY)
    admit(asked, pod("q", container("c", 1)))
    asked.allocate(whole, app, NO_AFFINITY)
    assert asked.allocated("p", "app") == {GPU: ("d2",)}


def test_release_is_the_inverse_of_allocate() -> None:
    asked = manager()
    admit(asked, pod("p", container("c", 3)))
    asked.release("p", "c")
    assert asked.allocated("p", "c") == {}
    assert admit(asked, pod("q", container("c", 4)))["c"] == ("d0", "d1", "d2", "d3")


def test_only_containers_that_are_gone_lose_their_devices() -> None:
    asked = manager()
    admit(asked, pod("p", container("c", 1)))
    admit(asked, pod("q", container("c", 1)))
    assert asked.remove_stale(lambda uid, name: uid == "q")
    assert (asked.allocated("p", "c"), asked.allocated("q", "c")) == ({}, {GPU: ("d1",)})
    assert not asked.remove_stale(lambda uid, name: uid == "q")


def test_the_checkpoint_lists_a_device_under_each_of_its_nodes() -> None:
    asked = DeviceManager(machine([("a", [0, 1]), ("b", []), Device(GPU, "c", (1,), healthy=False)]), quirks=EXACT)
    admit(asked, pod("p", container("c", 2)))
    assert asked.entries() == (DeviceEntry("p", "c", GPU, {-1: ("b",), 0: ("a",), 1: ("a",)}),)
    assert asked.registered() == {GPU: ("a", "b")}


def test_the_checkpoint_leaves_out_a_container_that_lacks_a_device() -> None:
    asked = DeviceManager(machine([("a", [0]), Device("example.com/nic", "n", (1,))]), quirks=EXACT)
    admit(asked, pod("p", container("c", nic=1)))
    with pytest.raises(Refusal):
        admit(asked, pod("q", container("c", 1, nic=1)))
    assert asked.allocated("q", "c") == {GPU: ("a",)}
    assert [entry.uid for entry in asked.entries()] == ["p"]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_a_restart_from_the_checkpoint_is_the_identity(counts: list[int]) -> None:
    before = manager(12)
    pods = [pod(f"p{number}", container("c", count)) for number, count in enumerate(counts)]
    placed = [admit(before, one) for one in pods]
    after = manager(12)
    after.restore(before.entries())
    assert after.entries() == before.entries()
    assert [admit(after, one) for one in pods] == placed


def test_a_device_that_is_gone_or_unhealthy_after_a_restart_refuses_its_container() -> None:
    asked = manager(2)
    asked.restore([DeviceEntry("p", "c", GPU, {0: ("gone",)})])
    with pytest.raises(Refusal) as raised:
        admit(asked, pod("p", container("c", 1)))
    assert raised.value.message == (
        f"Allocate failed due to previously allocated devices are no longer healthy; cannot allocate unhealthy "
        f"devices {GPU}, which is unexpected"
    )


def test_a_resource_that_only_the_checkpoint_knows_is_not_registered() -> None:
    asked = manager(1)
    asked.restore([DeviceEntry("p", "c", "example.com/nic", {0: ("n",)})])
    one = container("c", None, nic=1)
    with pytest.raises(Refusal, match=r"cannot allocate unregistered device example\.com/nic"):
        asked.allocate(pod("p", one), one, NO_AFFINITY)
    assert asked.hints(pod("p", one), one) == {"example.com/nic": None}


@given(st.data())
def test_long_running_containers_never_share_a_device(data: st.DataObject) -> None:
    asked = manager(8)
    for uid in ("p", "q"):
        init = [
            container(f"i{number}", data.draw(st.integers(0, 2)), sidecar=data.draw(st.booleans()))
            for number in range(data.draw(st.integers(0, 2)))
        ]
        apps = [container(f"a{number}", data.draw(st.integers(0, 2))) for number in range(data.draw(st.integers(1, 2)))]
        whole = pod(uid, *apps, init=init)
        try:
            admit(asked, whole)
        except Refusal:
            asked.remove_stale(lambda one, name, uid=uid: one != uid)
    running = [
        device
        for entry in asked.entries()
        if not entry.container.startswith("i")
        for device in {one for ids in entry.devices.values() for one in ids}
    ]
    assert len(running) == len(set(running))


def test_unhealthy_devices_are_kept_up_to_1_27_1() -> None:
    """Only where some are to be given is looked at whether they are registered and healthy."""
    old = DeviceManager(machine([Device(GPU, "sick", (0,), healthy=False)]), quirks=DeviceQuirks.of(FIRST_1_27))
    old.restore([DeviceEntry("p", "c", GPU, {0: ("sick",)}), DeviceEntry("p", "c", "example.com/nic", {0: ("n",)})])
    assert admit(old, pod("p", container("c", 1, nic=1), container("none", 0))) == {"c": ("sick",), "none": ()}
    with pytest.raises(Refusal, match="can't allocate unregistered device"):
        admit(old, pod("q", container("c", None, nic=1)))
    with pytest.raises(Refusal, match="requested number of devices unavailable"):
        admit(old, pod("q", container("c", 1)))


@pytest.mark.parametrize(
    ("quirks", "refuses"),
    [
        (EXACT, True),
        (EXACT.without("zero-devices-need-a-healthy-one"), False),
        (DeviceQuirks(), False),
        (DeviceQuirks.of(FIRST_1_27), False),
        (DeviceQuirks.of(KubernetesVersion(1, 27, 2)), True),
    ],
)
def test_a_request_of_no_device_needs_a_healthy_one(quirks: DeviceQuirks, refuses: bool) -> None:
    sick = DeviceManager(machine([Device(GPU, "sick", (0,), healthy=False)]), quirks=quirks)
    if refuses:
        with pytest.raises(Refusal, match=f"no healthy devices present; cannot allocate unhealthy devices {GPU}"):
            admit(sick, pod("p", container("none", 0)))
    else:
        assert admit(sick, pod("p", container("none", 0))) == {"none": ()}
    with pytest.raises(Refusal):
        admit(sick, pod("q", container("one", 1)))


@pytest.mark.parametrize("runs", [True, False])
def test_while_a_kubelet_starts_a_container_that_runs_is_left_alone(runs: bool) -> None:
    """The plugin has not registered: any other container is refused, though it has its devices."""
    whole = pod("p", container("app", 1))
    before = manager()
    admit(before, whole)
    after = DeviceManager(machine([]), quirks=EXACT)
    after.restore(before.entries(), [GPU])
    after.runs_at_start = lambda uid, name: runs and (uid, name) == ("p", "app")
    (app,) = whole.all_containers
    assert not any(after.hints(whole, app).values())
    if runs:
        after.allocate(whole, app, NO_AFFINITY)
    else:
        with pytest.raises(Refusal, match=f"no healthy devices present; cannot allocate unhealthy devices {GPU}"):
            after.allocate(whole, app, NO_AFFINITY)
    assert after.allocated("p", "app") == before.allocated("p", "app")


def test_they_are_asked_for_since_health_is_looked_at_in_any_case() -> None:
    assert not Quirks.of(FIRST_1_27).device.ended_init_containers_need_their_plugin
    assert Quirks.of(KubernetesVersion(1, 27)).device.ended_init_containers_need_their_plugin
