"""Where a requirement is not asked is said in words, and counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from numa_conformance.judging.chapter import CHECKERS
from numa_conformance.judging.reasons import reasons_of
from numa_conformance.judging.verdicts import HistoryVerdicts, judge
from numa_conformance.machine import load_machine
from numa_conformance.wire.history.history import Head, History, Step

PACKS = "cpu-manager/static/packs-whole-cores"


def _picks(*counts: int) -> History:
    machine = load_machine("t1-one-socket-smt2")
    head = Head("picks", "", 0, machine, "1.32")
    params = {"options": {"distribute-cpus-across-cores": True}, "available": "0-7"}
    return History(
        head, tuple(Step("pick", {**params, "count": count}, {"result": "picked", "cpus": "0"}) for count in counts)
    )


def test_every_reason_is_read_from_the_source_and_has_no_full_stop():
    every = {check.requirement: reasons_of(check.requirement) for check in CHECKERS}
    assert sum(map(bool, every.values())) > 250
    assert [reason for reasons in every.values() for reason in reasons if reason[-1] == "." or "{" in reason] == []
    assert [name for name, reasons in every.items() if not all(" " in reason for reason in reasons)] == []  # in words


def test_a_twin_has_reasons_of_its_own():
    """Conditions that say so are read for a machine in use, also where they stand in another folder of the book."""
    few = ("packs-whole-cores", "packs-few-cores-in-use")
    whole, in_use = ({each for each in reasons_of(f"cpu-manager/static/{name}") if "NUMA" in each} for name in few)
    assert whole == {"some NUMA node is partly in use"}
    assert in_use == {"every NUMA node is free as a whole or taken"}


def test_a_reason_names_what_a_shared_condition_is_called_with():
    """It is no source of a text whose values are not known: one value, several that are spread, or none."""
    every = {check.requirement: reasons_of(check.requirement) for check in CHECKERS}
    assert [reason for reasons in every.values() for reason in reasons if "{" in reason] == []
    aligning = "the Topology Manager's policy is not best-effort or restricted or single-numa-node"
    assert aligning in every["topology-manager/admission/keeps-together-what-one-node-holds"]


def test_what_holds_a_requirement_back_is_counted():
    verdicts = HistoryVerdicts()
    verdicts.add(judge(_picks(1)))
    verdicts.add(judge(_picks(1, 2)))
    assert verdicts.tests[PACKS] == 0
    told = verdicts.not_asked(PACKS)
    assert told == {"other options are on": 3}
    assert set(told) <= set(reasons_of(PACKS))


def test_a_requirement_that_no_guard_holds_back_is_asked():
    history = _picks(1)
    plain = replace(
        history, steps=tuple(replace(step, params={**step.params, "options": {}}) for step in history.steps)
    )
    verdicts = judge(plain)
    assert verdicts.tests[PACKS] == 1
    assert verdicts.not_asked(PACKS) == Counter()
