"""The hints of random books, compared with MEM-HINT-01..06 read word for word."""

from itertools import combinations

from hypothesis import event, given
from hypothesis import strategies as st

from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.memory.memory_hints import memory_hints
from numa_conformance.reference.managers.memory.memory_state import NodeMemory, Table

RESOURCES = ("memory", "hugepages-2Mi")


@st.composite
def books(draw):
    """Draw one to six NUMA nodes, some of them grouped, some in use, some without huge pages."""
    ids = sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=6), label="nodes"))
    groups = draw(st.lists(st.integers(0, 2), min_size=len(ids), max_size=len(ids)), label="groups (0: alone)")
    nodes = {}
    for node, group in zip(ids, groups, strict=True):
        members = tuple(other for other, its in zip(ids, groups, strict=True) if its == group) if group else (node,)
        tables = {}
        for name in RESOURCES[: draw(st.integers(1, 2))]:
            allocatable = draw(st.sampled_from([0, 4, 10]))
            free = draw(st.integers(0, allocatable))
            tables[name] = Table(allocatable, 0, allocatable, allocatable - free, free)
        nodes[node] = NodeMemory(draw(st.integers(1 if len(members) > 1 else 0, 2)), tables, members)
    return nodes


def by_the_rules(nodes, amounts, reusable):
    narrowest, found = len(nodes), []
    for size in range(1, len(nodes) + 1):
        for chosen in combinations(sorted(nodes), size):

            def summed(name, column, chosen=chosen):
                return sum(getattr(nodes[node].tables[name], column) for node in chosen if name in nodes[node].tables)

            if any(summed(name, "allocatable") < amount for name, amount in amounts.items()):
                continue
            narrowest = min(narrowest, size)
            if size == 1 and len(nodes[chosen[0]].group) > 1:
                continue
            used = [nodes[node] for node in chosen if nodes[node].assignments > 0]
            if size > 1 and any(len(one.group) == 1 or one.group != chosen for one in used):
                continue
            mask = sum(1 << node for node in chosen)
            left = reusable.get(mask, {})
            if all(summed(name, "free") + left.get(name, 0) >= amount for name, amount in amounts.items()):
                found.append(mask)
    return [Hint(mask, mask.bit_count() == narrowest) for mask in found]


@given(books(), st.data())
def test_hints_are_those_of_the_rules(nodes, data):
    wanted = st.dictionaries(st.sampled_from(RESOURCES), st.sampled_from([0, 1, 4, 9, 15]), min_size=1)
    amounts = data.draw(wanted, label="amounts")
    masks = st.sets(st.sampled_from(sorted(nodes)), min_size=1).map(lambda chosen: sum(1 << node for node in chosen))
    reusable = data.draw(st.dictionaries(masks, st.just({"memory": 4}), max_size=2), label="reusable")
    found = memory_hints(nodes, amounts, reusable)
    event("some" if found else "none")
    assert found == by_the_rules(nodes, amounts, reusable)
