"""Edges of what is asked of the static policy's options, beyond a wrong and a right case of each sentence."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace
from numa_conformance.conformance.pairs.options import (
    ALONE,
    FIRST_REFUSED,
    MORE_SOCKETS,
    OFF,
    PLAIN,
    THREE,
    UNDER_SINGLE,
    cached,
    start,
)
from numa_conformance.conformance.pairs.worlds import admitted, bits, held, picked

from numa_conformance.asking.generators.workloads import static
from numa_conformance.chapters.cpu.options import full_pcpus_only, prefer_align_cpus_by_uncorecache
from numa_conformance.judging.choice import ACROSS_NUMA, BY_SOCKET, BY_UNCORE, STRICT, WHOLE_CORES, CpuChoice
from numa_conformance.judging.hinted import CpuHints
from numa_conformance.judging.settings import Settings
from numa_conformance.judging.start_subjects import Start
from numa_conformance.machine import load_machine
from worlds import breaks

FULL, SPREAD = "cpu-manager/full-pcpus-only/", "cpu-manager/distribute-cpus-across-numa/"


def test_halves_of_cores_serve_nobody_who_could_be_refused() -> None:
    halves = picked("t1-one-socket-smt2", "1-2,4,7", "1-2", WHOLE_CORES)
    assert breaks(full_pcpus_only.gives_whole_cores, halves) is None
    assert breaks(full_pcpus_only.gives_whole_cores, replace(halves, admits=True))


def test_full_pcpus_only_alone_adds_up_with_nothing() -> None:
    assert breaks(full_pcpus_only.refuses_a_partial_core_beside_others, admitted(ALONE, THREE, c=held("1-2,5"))) is None


@pytest.mark.parametrize(("cpus", "wrong"), [("0,4,16,20", True), ("0-1,16-17", False)])
def test_caches_are_judged_beside_a_strict_reservation(cpus: str, wrong: bool) -> None:
    choice = replace(cached(cpus), options=frozenset({BY_UNCORE, STRICT}))
    assert breaks(prefer_align_cpus_by_uncorecache.stays_in_one_cache, choice) is wrong


@pytest.mark.parametrize(("shared", "wrong"), [(set[int](), True), ({*range(2, 6), *range(10, 14)}, None)])
def test_a_cache_of_two_sockets_leaves_open_which_of_them_gives_what_it_has(
    shared: set[int], wrong: bool | None
) -> None:
    choice = picked("snc2-small", "0-15", "2-5,10-13", BY_SOCKET, BY_UNCORE)
    cpus = tuple(dataclasses.replace(cpu, uncore=9 if cpu.id in shared else cpu.uncore) for cpu in choice.machine.cpus)
    choice = replace(choice, machine=dataclasses.replace(choice.machine, cpus=cpus))
    assert breaks("cpu-manager/align-by-socket/stays-in-one-socket", choice) is wrong


def hybrid(free: str, cpus: str, *options: str) -> CpuChoice:
    """Choose on two NUMA nodes alike: each has four cores of two threads and four of one."""
    return picked("hybrid-two-nodes", free, cpus, ACROSS_NUMA, *options)


@pytest.mark.parametrize(
    ("cpus", "options", "free", "uneven"),
    [
        ("0-5,8,12-17,20", [WHOLE_CORES], "0-23", False),
        ("0-7,12-17", [WHOLE_CORES], "0-23", True),
        ("0-7,12-17", [WHOLE_CORES], "0-7,12-19", False),
        ("0-9,12-15", [], "0-23", True),
        ("0-6,12-18", [], "0-23", False),
    ],
    ids=["even by cores of both sizes", "uneven", "nothing else adds up", "uneven in parts", "even in parts"],
)
def test_shares_are_as_even_as_cores_of_two_sizes_allow(cpus: str, options: list[str], free: str, uneven: bool) -> None:
    choice = hybrid(free, cpus, *options)
    assert any(breaks(SPREAD + name, choice) for name in ("spreads-evenly", "spreads-evenly-in-use")) is uneven


def test_cores_that_do_not_add_up_in_one_numa_node_may_come_from_two() -> None:
    one = SPREAD + "keeps-one-node-where-one-suffices"
    assert not breaks(one, hybrid("0-7,20-21", "0-1,20", WHOLE_CORES))
    assert breaks(one, hybrid("0-7,20-21", "0-1,20-21", WHOLE_CORES))


def test_a_start_that_does_the_same_without_an_option_shows_nothing_of_it() -> None:
    plain = start(WHOLE_CORES, FIRST_REFUSED)
    assert breaks(FULL + "is-available", start(WHOLE_CORES, FIRST_REFUSED, WHOLE_CORES, plain=plain)) is None


@pytest.mark.parametrize(
    ("requirement", "down"),
    [
        ("cpu-manager/options/gate-off-means-defaults", start(WHOLE_CORES, None, WHOLE_CORES, gates=OFF, plain=PLAIN)),
        ("cpu-manager/align-by-socket/refuses-single-numa-node", UNDER_SINGLE(up=False)),
        ("cpu-manager/align-by-socket/refuses-more-sockets-than-numa-nodes", MORE_SOCKETS(up=False)),
    ],
)
def test_a_node_may_refuse_to_come_up_where_an_option_may_take_no_effect(requirement: str, down: Start) -> None:
    assert breaks(requirement, down) is False


def test_a_best_effort_option_may_show_no_effect() -> None:
    plain = start(BY_UNCORE, ("1,4", "0-31"))
    spread = start(BY_UNCORE, ("1,4", "0-31"), BY_UNCORE, plain=plain)
    assert breaks("cpu-manager/prefer-align-cpus-by-uncorecache/is-available", spread) is False


@pytest.mark.parametrize(("parts", "is_missed"), [((2, 2), True), ((1, 3), None)])
def test_nodes_need_not_be_hinted_where_a_container_gets_no_whole_cores(
    parts: tuple[int, ...], is_missed: bool | None
) -> None:
    machine, settings = load_machine("t1-one-socket-smt2"), Settings.of(static(WHOLE_CORES, reserved="0,4"))
    hints = CpuHints(machine, settings, 4, bits("1-3,5-7"), 0, None, (), parts)
    assert breaks("cpu-manager/hints/offers-every-narrowest-set", hints) is is_missed
