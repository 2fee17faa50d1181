"""What a whole kubelet decides otherwise than its managers alone is told apart from all else."""

import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.comparing.differing import differing
from numa_conformance.comparing.two_targets import (
    AT_A_RESTART,
    BEFORE_PLUGINS,
    REPORTED_CACHES,
    THERE_ALREADY,
    OfAWholeKubelet,
    of_a_whole_kubelet,
)
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, Step

REMOVED = ("node.remove", {"uid": "a"}, {"result": "removed", "default_cpuset": "0-7"})


def history(*steps, machine="t1-one-socket-smt2", options=()):
    head = Head("told", "", 0, load_machine(machine), "1.37", "mine 1")
    start = ("node.start", {"kubelet": static(*options)}, {"result": "started", "default_cpuset": "0-7"})
    return History(head, tuple(Step(method, params, answer, None, 0.0) for method, params, answer in (start, *steps)))


def admit(uid, cpus, devices=None):
    held = {"c": {"cpus": cpus, "devices": devices}}
    answer = {"result": "admitted", "containers": held, "default_cpuset": "0"}
    return "node.admit", {"pod": guaranteed(uid, 2)}, answer


def pod(uid, cpus=None, reason="UnexpectedAdmissionError"):
    if cpus is None:
        return {"result": "rejected", "uid": uid, "reason": reason, "message": "no"}
    return {"result": "admitted", "uid": uid, "containers": {"c": {"cpus": cpus}}}


def restart(*pods, pool="0"):
    return "node.restart", {}, {"result": "restarted", "pods": list(pods), "default_cpuset": pool}


CASES = [
    ([admit("a", "1-2")], admit("a", "1-2"), admit("a", "3-4"), THERE_ALREADY),
    ([admit("a", "1-2"), REMOVED], admit("a", "1-2"), admit("a", "3-4"), ""),
    ([], admit("a", "1-2"), admit("a", "3-4"), ""),
    ([], restart(pod("a"), pod("b")), restart(pod("a"), pod("b", "1-2")), AT_A_RESTART),
    ([], restart(pod("a"), pool="0-3"), restart(pod("a"), pool="0-7"), AT_A_RESTART),
    ([], restart(pod("a", "1-2"), pod("b")), restart(pod("a", "1-2"), pod("b", "3-4")), ""),
    ([], restart(pod("a", "1-2"), pod("b")), restart(pod("a", "3-4"), pod("b")), ""),
    ([], restart(pod("a", "1-2"), pool="0"), restart(pod("a", "1-2"), pool="0-7"), ""),
    ([admit("a", "1-2", {"gpu": ["g0"]})], restart(pod("a")), restart(pod("a", "1-2")), BEFORE_PLUGINS),
    ([admit("b", "1-2", {"gpu": ["g0"]})], restart(pod("a")), restart(pod("a", "1-2")), ""),
]


@pytest.mark.parametrize(("before", "of_the_kubelet", "of_the_managers", "kind"), CASES)
def test_only_what_is_listed_is_taken_for_one_of_them(before, of_the_kubelet, of_the_managers, kind):
    kubelet, managers = history(*before, of_the_kubelet), history(*before, of_the_managers)
    for one, other in ((kubelet, managers), (managers, kubelet)):
        assert of_a_whole_kubelet(differing(one, other), kubelet) == kind


@pytest.mark.parametrize(
    ("machine", "options", "kind"),
    [
        ("t3-two-numa-per-socket", ["prefer-align-cpus-by-uncorecache"], REPORTED_CACHES),
        ("t3-two-numa-per-socket", ["full-pcpus-only"], ""),
        ("amd-milan-7763-nps4", ["prefer-align-cpus-by-uncorecache"], ""),
    ],
)
def test_a_reported_cache_counts_for_managers_alone(machine, options, kind):
    kubelet, managers = (history(admit("a", cpus), machine=machine, options=options) for cpus in ("1-2", "3-4"))
    assert of_a_whole_kubelet(differing(kubelet, managers), kubelet) == kind


@pytest.mark.parametrize(
    ("first", "second", "counted"), [(True, False, 1), (False, True, 1), (True, True, 0), (False, False, 0)]
)
def test_it_is_counted_only_where_one_of_the_two_is_a_whole_kubelet(first, second, counted):
    again = differing(history(admit("a", "1-2"), admit("a", "1-2")), history(admit("a", "1-2"), admit("a", "3-4")))
    known = OfAWholeKubelet(first, second)
    assert known.counts(again) is bool(counted)
    assert known.without(again) is (None if counted else again)
    assert dict(known.histories) == ({THERE_ALREADY: 1} if counted else {})
    assert known.without(None) is None
