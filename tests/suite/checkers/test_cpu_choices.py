"""Choices of CPUs, each wrong by one requirement, beside one that keeps it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from numa_conformance.machine import load_machine
from numa_conformance.suite.chapters import cpu_choices, cpu_choices_by_option
from numa_conformance.suite.judge.choice import (
    ACROSS_CORES,
    ACROSS_NUMA,
    BY_SOCKET,
    BY_UNCORE,
    STRICT,
    WHOLE_CORES,
    Choice,
)
from worlds import Case, bits, breaks, judged_in

T1, T3, HYBRID = "t1-one-socket-smt2", "t3-two-numa-per-socket", "hybrid-two-nodes"
ALL = {T1: "0-7", T3: "0-31", HYBRID: "0-23"}
IN_USE = {T1: "1-7", T3: "1-15,17-31"}
STATIC = "cpu-manager/static/"
SPREAD = "cpu-manager/distribute-cpus-across-numa/"
SOCKET = "cpu-manager/align-by-socket/"
CACHE = "cpu-manager/prefer-align-cpus-by-uncorecache/"


def small(
    given: str | None,
    count: int,
    *options: str,
    machine: str = T1,
    of: dict[str, str] = ALL,
    near: str | None = None,
) -> Choice:
    """Choose on four cores of two threads: 0,4 to 3,7."""
    return Choice(
        load_machine(machine),
        frozenset(options),
        bits(of[machine]),
        count,
        None if given is None else bits(given),
        None if near is None else bits(near),
    )


def large(given: str, count: int, *options: str, of: dict[str, str] = ALL, near: str | None = None) -> Choice:
    """Choose on two sockets of two NUMA nodes, each with four cores, as 0,16 to 3,19, and a cache."""
    return small(given, count, *options, machine=T3, of=of, near=near)


CASES: dict[str, Case] = {
    STATIC + "integral-guaranteed-is-exclusive": (small("0", 2), small("0,4", 2)),
    STATIC + "gives-free-cpus-only": (small("0,4", 2, of=IN_USE), small("1,5", 2, of=IN_USE)),
    STATIC + "refuses-what-is-not-free": (small("0-7", 9), small(None, 9)),
    STATIC + "serves-what-is-free": (small(None, 2), small("0,4", 2)),
    "cpu-manager/full-pcpus-only/gives-whole-cores": (small("0-1", 2, WHOLE_CORES), small("0,4", 2, WHOLE_CORES)),
    STATIC + "packs-whole-cores": (small("0-1", 2), small("3,7", 2)),
    STATIC + "packs-few-cores-in-use": (small("1-2", 2, of=IN_USE), small("1,5", 2, of=IN_USE)),
    STATIC + "packs-few-numa-nodes": (large("0,4,8,12,16,20,24,28", 8), large("4-7,20-23", 8)),
    STATIC + "packs-few-numa-nodes-in-use": (
        large("1,4,8,12,17,20,24,28", 8, of=IN_USE),
        large("4-7,20-23", 8, of=IN_USE),
    ),
    SPREAD + "keeps-one-node-where-one-suffices": (
        large("0,4,16,20", 4, ACROSS_NUMA),
        large("0-1,16-17", 4, ACROSS_NUMA),
    ),
    SPREAD + "spreads-evenly": (
        large("0-5,16-21", 12, ACROSS_NUMA),
        large("0-2,4-6,16-18,20-22", 12, ACROSS_NUMA),
    ),
    SPREAD + "spreads-evenly-in-use": (
        large("4-9,20-25", 12, ACROSS_NUMA, of=IN_USE),
        large("1-6,17-22", 12, ACROSS_NUMA, of=IN_USE),
    ),
    "cpu-manager/distribute-cpus-across-cores/takes-separate-cores": (
        small("0,4", 2, ACROSS_CORES),
        small("0-1", 2, ACROSS_CORES),
    ),
    SOCKET + "stays-in-one-socket": (
        large("0-3,8-11,16-19,24-27", 16, BY_SOCKET),
        large("0-7,16-23", 16, BY_SOCKET),
    ),
    SOCKET + "stays-in-one-socket-in-use": (
        large("1-8,17-24", 16, BY_SOCKET, of=IN_USE),
        large("8-15,24-31", 16, BY_SOCKET, of=IN_USE),
    ),
    CACHE + "stays-in-one-cache": (large("0,4,16,20", 4, BY_UNCORE), large("0-1,16-17", 4, BY_UNCORE)),
    CACHE + "stays-in-one-cache-in-use": (
        large("1,4,17,20", 4, BY_UNCORE, of=IN_USE),
        large("4-5,20-21", 4, BY_UNCORE, of=IN_USE),
    ),
    CACHE + "uses-few-caches": (
        large("0-2,4-6,8-9,16-18,20-22,24-25", 16, BY_UNCORE),
        large("0-3,8-11,16-19,24-27", 16, BY_UNCORE),
    ),
    CACHE + "never-refuses": (small(None, 2, BY_UNCORE), small("0,5", 2, BY_UNCORE)),
    "topology-manager/best-effort/aligns-when-possible": (
        large("4,20", 2, near="0-3,16-19"),
        large("0,16", 2, near="0-3,16-19"),
    ),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() >= judged_in(cpu_choices) | judged_in(cpu_choices_by_option)


def test_halves_of_cores_serve_nobody_who_could_be_refused() -> None:
    halves = small("1-2", 2, WHOLE_CORES, of={T1: "1-2,4,7"})
    assert not breaks("cpu-manager/full-pcpus-only/gives-whole-cores", halves)
    assert breaks("cpu-manager/full-pcpus-only/gives-whole-cores", replace(halves, admits=True))


def test_caches_are_judged_beside_a_strict_reservation() -> None:
    assert breaks(CACHE + "stays-in-one-cache", large("0,4,16,20", 4, BY_UNCORE, STRICT))
    assert breaks(CACHE + "stays-in-one-cache", large("0-1,16-17", 4, BY_UNCORE, STRICT)) is False


@pytest.mark.parametrize(
    ("given", "count", "options", "of", "uneven"),
    [
        ("0-5,8,12-17,20", 14, [WHOLE_CORES], "0-23", False),
        ("0-7,12-17", 14, [WHOLE_CORES], "0-23", True),
        ("0-7,12-17", 14, [WHOLE_CORES], "0-7,12-19", False),
        ("0-9,12-15", 14, [], "0-23", True),
        ("0-6,12-18", 14, [], "0-23", False),
    ],
    ids=["even by cores of both sizes", "uneven", "nothing else adds up", "uneven in parts", "even in parts"],
)
def test_shares_are_as_even_as_cores_of_two_sizes_allow(
    given: str, count: int, options: list[str], of: str, uneven: bool
) -> None:
    """On two NUMA nodes alike: each has four cores of two threads and four of one."""
    choice = small(given, count, ACROSS_NUMA, *options, machine=HYBRID, of={HYBRID: of})
    found = [breaks(SPREAD + name, choice) for name in ("spreads-evenly", "spreads-evenly-in-use")]
    assert any(found) is uneven


def test_cores_that_do_not_add_up_in_one_numa_node_may_come_from_two() -> None:
    odd = small("0-1,20", 3, ACROSS_NUMA, WHOLE_CORES, machine=HYBRID, of={HYBRID: "0-7,20-21"})
    assert not breaks(SPREAD + "keeps-one-node-where-one-suffices", odd)
    even = small("0-1,20-21", 4, ACROSS_NUMA, WHOLE_CORES, machine=HYBRID, of={HYBRID: "0-7,20-21"})
    assert breaks(SPREAD + "keeps-one-node-where-one-suffices", even)
