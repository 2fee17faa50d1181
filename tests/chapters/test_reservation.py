"""Which CPUs may be reserved where the configuration says how many."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from numa_conformance.conformance.pairs.cpu import amount, start

from numa_conformance.chapters.cpu import reservation
from numa_conformance.machine import load_machine
from worlds import breaks


@pytest.mark.parametrize(
    ("machine", "count", "reserved", "legal"),
    [
        ("t2-two-sockets-interleaved", "2", "0,6", True),
        ("t2-two-sockets-interleaved", "2", "0-1", True),
        ("t2-two-sockets-interleaved", "2", "0,2", False),
        ("t2-two-sockets-interleaved", "4", "0-1,6-7", True),
        ("t2-two-sockets-interleaved", "4", "0,2,6,8", True),
        ("t2-two-sockets-interleaved", "4", "0,4,6,10", False),
        ("t1-one-socket-smt2", "3", "0-1,4", True),
        ("t1-one-socket-smt2", "3", "0,4-5", True),
        ("t1-one-socket-smt2", "3", "0-2", False),
        ("t1-one-socket-smt2", "1", "8", False),
    ],
)
def test_core_ids_may_be_counted_in_the_machine_or_in_the_socket(
    machine: str, count: str, reserved: str, legal: bool
) -> None:
    described = replace(start(amount(count), reserved), machine=load_machine(machine))
    assert breaks(reservation.reserves_by_ascending_core_id, described) is not legal


@pytest.mark.parametrize(("reserved", "wrong"), [("0", True), ("0,4", False), ("0-1,4", False), ("0-1,4-5", True)])
def test_fractions_are_added_before_they_are_rounded(reserved: str, wrong: bool) -> None:
    """2.25 and 0.5 CPUs make 3, or 2 without the fraction; rounded one by one they make 4."""
    assert breaks(reservation.adds_kube_and_system, start(amount("2250m", "500m"), reserved)) is wrong
