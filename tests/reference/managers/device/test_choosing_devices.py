"""Which devices a container gets, and in which order they are looked at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import Refusal
from numa_conformance.machine.model import Device
from numa_conformance.reference.managers.device import DeviceManager, lowest_ids
from numa_conformance.reference.managers.hint import NO_AFFINITY, Hint
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import DeviceQuirks
from numa_conformance.sources.versions import DEFAULT
from reference.managers.device.scenarios import GPU, container, machine, pod

EXACT = Quirks.of(DEFAULT).device
DEVICES = [("a", [1]), ("b", [0]), ("c", []), ("d", [1]), ("e", [0])]


def given_devices(
    count: int, mask: int | None, devices=DEVICES, preference=None, quirks: DeviceQuirks = EXACT
) -> tuple[str, ...]:
    manager = DeviceManager(machine(devices), quirks=quirks, preferences={GPU: preference} if preference else None)
    one = container("c", count)
    manager.allocate(pod("p", one), one, Hint(mask, True))
    return manager.allocated("p", "c").get(GPU, ())


@pytest.mark.parametrize(
    ("count", "mask", "expected"),
    [
        (1, 1, ("b",)),
        (2, 1, ("b", "e")),
        (3, 1, ("a", "b", "e")),
        (4, 1, ("a", "b", "d", "e")),
        (5, 1, ("a", "b", "c", "d", "e")),
        (3, None, ("a", "b", "c")),
        (0, 1, ()),
    ],
)
def test_takes_aligned_then_unaligned_then_those_without_affinity(
    count: int, mask: int | None, expected: tuple[str, ...]
) -> None:
    assert given_devices(count, mask) == expected


def test_a_plugin_chooses_among_the_aligned_when_they_are_enough() -> None:
    asked = []

    def highest(available: DeviceQuirks, required: DeviceQuirks, size: int) -> list[str]:
        asked.append((available, required, size))
        return sorted(available, reverse=True)[:size]

    assert given_devices(1, 2, preference=highest) == ("d",)
    assert asked == [({"a", "d"}, frozenset(), 1)]


def test_a_plugin_is_not_asked_when_all_aligned_devices_are_needed() -> None:
    def never(available: DeviceQuirks, required: DeviceQuirks, size: int) -> list[str]:
        raise AssertionError("asked")

    assert given_devices(2, 2, preference=never) == ("a", "d")


def test_a_plugin_chooses_the_rest_when_the_aligned_are_too_few() -> None:
    asked = []

    def highest(available: DeviceQuirks, required: DeviceQuirks, size: int) -> list[str]:
        asked.append((available, required, size))
        return [*sorted(required), *sorted(available - required, reverse=True)][:size]

    assert given_devices(3, 1, preference=highest) == ("b", "d", "e")
    assert asked == [(frozenset("abcde"), {"b", "e"}, 3)]


@pytest.mark.parametrize("answer", [[], ["x", "y"], ["a"], ["d", "d", "a", "b", "e", "c"]])
def test_a_useless_answer_of_a_plugin_is_filtered_and_topped_up(answer: list[str]) -> None:
    got = given_devices(1, 2, preference=lambda available, required, size: answer)
    assert len(got) == 1
    assert set(got) <= {"a", "d"}


def test_lowest_ids_are_plain_strings_after_what_must_be_there() -> None:
    assert lowest_ids(frozenset(["10", "9", "2"]), frozenset(["9"]), 2) == ["9", "10"]


@given(st.data())
def test_gives_as_many_as_asked_and_aligned_ones_before_others(data: st.DataObject) -> None:
    placed = data.draw(st.lists(st.sets(st.integers(0, 2), max_size=2).map(sorted), min_size=1, max_size=8))
    devices = [Device(GPU, f"d{number}", tuple(nodes)) for number, nodes in enumerate(placed)]
    count = data.draw(st.integers(0, len(devices)), label="asked")
    mask = data.draw(st.integers(1, 7), label="mask")
    preference = data.draw(st.sampled_from([None, lowest_ids]), label="preference")
    got = set(given_devices(count, mask, devices, preference))
    aligned = {one.id for one in devices if any(mask >> node & 1 for node in one.numa)}
    assert len(got) == count
    assert len(got & aligned) == min(count, len(aligned))


def refused(manager: DeviceManager, uid: str, count: int, *, name: str = "c", resource: str = "gpu") -> str:
    one = container(name, **{"gpus" if resource == "gpu" else resource: count})
    with pytest.raises(Refusal) as raised:
        manager.allocate(pod(uid, one), one, NO_AFFINITY)
    assert raised.value.reason == "UnexpectedAdmissionError"
    return raised.value.message


def allocate(manager: DeviceManager, uid: str, count: int) -> None:
    one = container("c", count)
    manager.allocate(pod(uid, one), one, NO_AFFINITY)


def test_says_how_many_are_still_needed_and_free() -> None:
    manager = DeviceManager(machine([("a", [0]), ("b", [0]), ("c", [0])]), quirks=EXACT)
    allocate(manager, "first", 2)
    assert refused(manager, "p", 2) == (
        f"Allocate failed due to requested number of devices unavailable for {GPU}. Requested: 2, Available: 1, "
        "which is unexpected"
    )
    assert manager.allocated("p", "c") == {}


def test_a_container_cannot_change_its_request() -> None:
    manager = DeviceManager(machine([("a", [0]), ("b", [0])]), quirks=EXACT)
    allocate(manager, "p", 2)
    allocate(manager, "p", 2)
    assert refused(manager, "p", 1) == (
        f'Allocate failed due to pod "p" container "c" changed request for resource "{GPU}" from 2 to 1, '
        "which is unexpected"
    )
    assert manager.allocated("p", "c") == {GPU: ("a", "b")}


def test_without_healthy_devices_even_a_request_of_nothing_fails() -> None:
    manager = DeviceManager(machine([Device(GPU, "a", (0,), healthy=False)]), quirks=EXACT)
    assert refused(manager, "p", 0) == (
        f"Allocate failed due to no healthy devices present; cannot allocate unhealthy devices {GPU}, "
        "which is unexpected"
    )


def test_resources_that_no_plugin_registered_are_no_concern() -> None:
    manager = DeviceManager(machine(DEVICES), quirks=EXACT)
    one = container("c", None, nic=1)
    manager.allocate(pod("p", one), one, NO_AFFINITY)
    assert manager.allocated("p", "c") == {}


def test_an_earlier_resource_stays_given_when_a_later_one_fails() -> None:
    both = [Device(GPU, "a", (0,)), Device("example.com/nic", "n", (0,))]
    manager = DeviceManager(machine(both), quirks=EXACT)
    one = container("c", 1, nic=2)
    with pytest.raises(Refusal, match="Requested: 2, Available: 1"):
        manager.allocate(pod("p", one), one, NO_AFFINITY)
    assert manager.allocated("p", "c") == {GPU: ("a",)}
    manager.remove_stale(lambda uid, name: False)
    assert manager.allocated("p", "c") == {}


@pytest.mark.parametrize(("quirks", "expected"), [(EXACT, ("b",)), (DeviceQuirks(), ("c",))])
def test_by_the_documentation_a_device_without_topology_is_as_good_as_an_aligned_one(quirks, expected) -> None:
    assert given_devices(1, 0b1000, [("b", [0]), ("c", [])], lowest_ids, quirks) == expected
