"""Which NUMA nodes the Device Manager offers."""

from collections.abc import Iterable
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.machine.model import Device
from numa_conformance.reference.managers.compressed_hints import CompressedHints
from numa_conformance.reference.managers.device import DeviceManager, ResourceDevices
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import DeviceQuirks
from numa_conformance.sources.versions import DEFAULT
from reference.managers.device.scenarios import GPU, container, machine, pod

EXACT = Quirks.of(DEFAULT).device
TWO_AND_TWO = machine([("a", [0]), ("b", [0]), ("c", [1]), ("d", [1])])


def manager(of=TWO_AND_TWO, quirks: DeviceQuirks = EXACT) -> DeviceManager:
    return DeviceManager(of, quirks=quirks)


def listed(nodes: dict[str, tuple[int, ...] | None], quirks: DeviceQuirks) -> DeviceManager:
    """Make a manager whose devices are those of a plugin's list."""
    asked = manager(quirks=quirks)
    asked.inventory.resources[GPU] = ResourceDevices(nodes, frozenset(nodes))
    return asked


def offered(asked: DeviceManager, gpus: int, uid: str = "p", resource: str = GPU) -> list[tuple[set[int], bool]] | None:
    one = container("c", gpus)
    hints = asked.hints(pod(uid, one), one)[resource]
    return None if hints is None else shown(hints)


def shown(hints: Iterable[Hint]) -> list[tuple[set[int], bool]]:
    return [({bit for bit in range(64) if (hint.mask or 0) >> bit & 1}, hint.preferred) for hint in hints]


def take(asked: DeviceManager, uid: str, *, mask: int | None = None, gpus: int = 1) -> None:
    one = container("c", gpus)
    asked.allocate(pod(uid, one), one, Hint(mask, True))


def test_prefers_the_fewest_nodes_that_could_hold_the_request() -> None:
    assert offered(manager(), 2) == [({0}, True), ({1}, True), ({0, 1}, False)]
    assert offered(manager(), 3) == [({0, 1}, True)]


def test_preference_is_about_all_devices_and_not_about_free_ones() -> None:
    asked = manager()
    take(asked, "first", mask=1)
    assert offered(asked, 2) == [({1}, True), ({0, 1}, False)]
    take(asked, "second", mask=2)
    assert offered(asked, 2) == [({0, 1}, False)]


def test_more_than_there_is_free_is_impossible() -> None:
    assert offered(manager(), 5) == []


def test_unhealthy_devices_are_not_given_but_count_for_preference() -> None:
    sick = machine([Device(GPU, "a", (0,), healthy=False), Device(GPU, "b", (0,)), Device(GPU, "c", (1,))])
    assert offered(manager(sick), 2) == [({0, 1}, False)]


def test_a_device_on_two_nodes_counts_for_both() -> None:
    assert offered(manager(machine([("a", [0, 1])])), 1) == [({0}, True), ({1}, True), ({0, 1}, False)]


def test_no_opinion_without_topology_information() -> None:
    assert offered(manager(machine([("a", []), ("b", [])])), 1) is None


def test_no_opinion_on_resources_that_no_plugin_registered() -> None:
    one = container("c", None, nic=1)
    assert manager().hints(pod("p", one), one) == {}
    assert manager().pod_hints(pod("p", one)) == {}


def test_a_request_of_nothing_is_met_anywhere() -> None:
    assert offered(manager(), 0) == [({0}, True), ({1}, True), ({0, 1}, False)]


def test_nodes_that_the_machine_does_not_have_match_no_mask() -> None:
    assert offered(manager(machine([("a", [7]), ("b", [1])])), 1) == [({1}, True), ({0, 1}, False)]


@given(st.sampled_from([EXACT, DeviceQuirks()]), st.sampled_from([(-1,), (7,), (1 << 40,), (-1, 7)]))
def test_devices_on_no_node_of_the_machine_alone_leave_no_hint(quirks: DeviceQuirks, nodes: tuple[int, ...]) -> None:
    asked = listed({"a": nodes, "b": None}, quirks)
    assert offered(asked, 1) == ([] if quirks is EXACT else [({0}, True), ({1}, True), ({0, 1}, False)])
    assert offered(asked, 2) == []


def test_a_device_left_for_reuse_binds_what_follows_by_a_topology_even_without_nodes() -> None:
    first, second = container("first", 1), container("second", 1)
    whole = pod("p", second, init=[first])
    for nodes, quirks, left in [
        ((), EXACT, False),
        ((), DeviceQuirks(), True),
        (None, EXACT, True),
        ((-1,), EXACT, False),
    ]:
        asked = listed({"a": nodes, "b": (0,)}, quirks)
        asked.allocate(whole, first, Hint(None, True))
        assert asked.allocated("p", "first") == {GPU: ("a",)}
        assert bool(asked.hints(whole, second)[GPU]) == left


def test_a_device_on_node_minus_one_is_given_last_and_one_elsewhere_before_it() -> None:
    asked = listed({"a": (-1,), "b": None, "c": (7,), "d": (0,)}, EXACT)
    for uid, id in (("1", "d"), ("2", "c"), ("3", "a"), ("4", "b")):
        take(asked, uid, mask=1)
        assert asked.allocated(uid, "c") == {GPU: (id,)}


def test_node_minus_one_is_a_topology_by_the_documentation_and_far_from_each_node() -> None:
    asked = listed({"a": (-1,), "b": (1,), "c": None}, DeviceQuirks())
    for uid, id in (("1", "b"), ("2", "c"), ("3", "a")):
        take(asked, uid, mask=2)
        assert asked.allocated(uid, "c") == {GPU: (id,)}


def test_devices_without_topology_never_count_beside_others() -> None:
    mixed = machine([("a", [0]), ("b", [0]), ("c", []), ("d", [])])
    assert offered(manager(mixed), 3) == []
    assert offered(manager(mixed, DeviceQuirks()), 3) == [({0}, True), ({0, 1}, False)]


def test_what_a_container_has_is_what_it_is_offered_again() -> None:
    asked = manager()
    take(asked, "p", mask=2, gpus=2)
    assert offered(asked, 2) == [({1}, True), ({0, 1}, False)]
    assert offered(asked, 1) == []


def test_devices_of_an_init_container_must_be_part_of_what_follows() -> None:
    first, second = container("first", 1), container("second", 2)
    whole = pod("p", second, init=[first])
    asked = manager()
    asked.allocate(whole, first, Hint(2, True))
    assert asked.allocated("p", "first") == {GPU: ("c",)}
    hints = asked.hints(whole, second)[GPU]
    assert hints is not None
    assert shown(hints) == [({1}, True), ({0, 1}, False)]


def test_the_pod_as_a_whole_is_offered_its_busiest_moment() -> None:
    whole = pod("p", container("one", 1), container("two", 1), init=[container("start", 3)])
    hints = manager().pod_hints(whole)[GPU]
    assert hints is not None
    assert shown(hints) == [({0, 1}, True)]


def test_the_pod_as_a_whole_is_offered_again_what_its_containers_have() -> None:
    whole = pod("p", container("app", 2), init=[container("start", 1)])
    asked = manager()
    for one in whole.all_containers:
        asked.allocate(whole, one, Hint(2, True))
    hints = asked.pod_hints(whole)[GPU]
    assert hints is not None
    assert shown(hints) == [({1}, True), ({0, 1}, False)]


@given(st.data())
def test_offers_what_the_rules_offer(data: st.DataObject) -> None:
    nodes = data.draw(st.integers(1, 4), label="NUMA nodes")
    where = st.sets(st.integers(0, nodes), max_size=2).map(sorted)
    placed = data.draw(st.lists(st.tuples(where, st.booleans()), min_size=1, max_size=6), label="nodes, healthy")
    devices = [Device(GPU, str(n), tuple(at), healthy=ok) for n, (at, ok) in enumerate(placed)]
    asked = manager(machine(devices, nodes))
    free = [one for one in devices if one.healthy]
    count = data.draw(st.integers(0, 5), label="asked")
    expected: list[tuple[set[int], bool]] | None = []
    if not any(one.numa for one in devices):
        expected = None
    elif count <= len(free):
        masks = [set(chosen) for size in range(1, nodes + 1) for chosen in combinations(range(nodes), size)]
        narrowest = min((len(m) for m in masks if sum(bool(m & set(one.numa)) for one in devices) >= count), default=-1)
        expected = [(m, len(m) == narrowest) for m in masks if sum(bool(m & set(one.numa)) for one in free) >= count]
    assert offered(asked, count) == expected


@given(st.data())
def test_on_many_nodes_a_family_stands_for_the_same_hints(data: st.DataObject) -> None:
    where = st.sets(st.sampled_from([0, 3, 4, 10]), min_size=1, max_size=2).map(sorted)
    placed = data.draw(st.lists(where, min_size=1, max_size=5), label="nodes of the devices")
    devices = [(str(number), at) for number, at in enumerate(placed)]
    count = data.draw(st.integers(0, len(devices)), label="asked")
    one = container("c", count)
    compressed = manager(machine(devices, 11)).hints(pod("p", one), one)[GPU]
    assert isinstance(compressed, CompressedHints)
    masks = [set(chosen) for size in range(1, 12) for chosen in combinations(range(11), size)]
    fitting = [mask for mask in masks if sum(bool(mask & set(at)) for at in placed) >= count]
    assert shown(compressed) == [(mask, len(mask) == len(fitting[0])) for mask in fitting]
