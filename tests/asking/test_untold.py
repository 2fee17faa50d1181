"""What a target cannot see is taken from the other that is asked the same; all else differs where it does."""

from dataclasses import replace

from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario, ask_all
from numa_conformance.asking.generators.workloads import guaranteed
from numa_conformance.comparing.differing import differing, filled
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess

KUBELET = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "topologyManagerPolicy": "best-effort"}
UNTOLD = {"affinity"}


def a_life():
    machine = load_machine("two-nodes-devices")
    asked = [
        ("node.start", {"machine": machine_to_dict(machine), "kubelet": KUBELET}),
        ("node.admit", {"pod": guaranteed("a", 2, **{"example.com/nic": "1"})}),
    ]
    client = Client(InProcess(ReferenceTarget, "reference"))
    return drive(Scenario("told", "", machine, lambda: ask_all(asked)), client, "1.37")[0]


def changed(history, **fields):
    """Return a history whose last answer says other things of its container; None: nothing."""
    *before, last = history.steps
    told = {**last.answer["containers"]["c"], **fields}
    return replace(history, steps=(*before, replace(last, answer={**last.answer, "containers": {"c": told}})))


def test_a_field_that_one_cannot_see_is_no_difference():
    seen = a_life()
    blind = changed(seen, affinity=None)
    assert differing(blind, seen) is not None
    for pair in ((blind, seen), (seen, blind)):
        assert differing(*pair, untold=UNTOLD) is None


def test_a_field_that_both_tell_is_compared_all_the_same():
    seen = a_life()
    other = changed(seen, affinity={"nodes": [1], "preferred": False})
    assert differing(other, seen, untold=UNTOLD) is not None


def test_what_is_beside_it_is_compared():
    seen = a_life()
    assert differing(changed(seen, affinity=None, cpus="5-6"), seen, untold=UNTOLD) is not None


def test_lists_are_filled_element_by_element():
    assert filled([{"a": 1}, {"a": None}], [{"b": 2}, {"a": 3}], {"a"}) == [{"a": 1}, {"a": 3}]
