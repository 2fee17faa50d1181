"""Known failures beside a run: stale entries, entries that were not asked, files written anew."""

import pytest
from msgspec import structs

from numa_conformance.asking.known_failures import NOT_SELECTED, KnownFailures, LeftOut
from numa_conformance.errors import UsageError
from numa_conformance.report.known import refreshed
from report.runs import OTHER, REQUIREMENT, case, failure, run

ONE, TWO = case(1).id, case(2).id
MET = f"known failure {REQUIREMENT}: it is met now; remove the entry"
MET_CASE = f"known failure {ONE}: it is met now; remove the entry"
NOT_CHOSEN = LeftOut(TWO, [REQUIREMENT], NOT_SELECTED)
OTHER_LEVEL = LeftOut(TWO, [REQUIREMENT], "asked at level exact only")


def on(machines, verdict="failed", number=1):
    return structs.replace(case(number, verdict), histories=3, machines=list(machines))


@pytest.mark.parametrize(
    ("cases", "entry", "left_out", "problems"),
    [
        ([case(1)], failure(requirement=REQUIREMENT), [], [MET]),
        ([case(1)], failure(requirement=REQUIREMENT), [OTHER_LEVEL], [MET]),
        ([case(1)], failure(requirement=REQUIREMENT), [NOT_CHOSEN], []),
        ([case(1), case(2, "expected failure")], failure(requirement=REQUIREMENT), [], []),
        ([case(1), case(2, "not claimed")], failure(requirement=REQUIREMENT), [], []),
        ([case(1), case(2, "error")], failure(requirement=REQUIREMENT), [], []),
        ([case(1, "unexpectedly passed")], failure(case=ONE), [], [MET_CASE]),
        ([case(1, "failed")], failure(requirement=REQUIREMENT, cases=[ONE], machines=["t1"]), [], []),
        (
            [case(1, "unexpectedly passed"), case(2, "expected failure")],
            failure(requirement=REQUIREMENT, cases=[ONE, TWO]),
            [],
            [f"known failure {REQUIREMENT}: {ONE} is met now; remove it from its cases"],
        ),
        ([case(1)], failure(case="a"), [], ["known failure a: the suite has no case a; remove the entry"]),
        ([case(1)], failure(requirement=OTHER), [], [f"known failure {OTHER}: no case tests it; remove the entry"]),
        ([case(1)], failure(requirement=OTHER), [LeftOut("a", [OTHER], "not of the profile cpu")], []),
    ],
)
@pytest.mark.parametrize("narrowed", [False, True])
def test_an_entry_that_is_met_or_tested_by_nothing_is_a_problem(cases, entry, left_out, problems, narrowed):
    told = run(*cases, known=[entry], left_out=left_out, narrowed=narrowed).problems
    assert [problem for problem in told if problem.startswith("known failure")] == problems


def test_entries_that_could_not_be_asked_are_said_to_be_so():
    entries = [failure(case=TWO), failure(requirement=OTHER), failure(requirement=REQUIREMENT)]
    summary = run(case(1, "expected failure"), case(3, "not claimed", OTHER), known=entries, left_out=[OTHER_LEVEL])
    assert summary.notes == [
        f"known failures that were not asked in this run (asked at level exact only): {TWO}",
        f"known failures that were not asked in this run (not claimed): {OTHER}",
    ]


def test_what_is_written_names_cases_and_machines():
    new = failure(requirement="")
    written = refreshed(KnownFailures({}), [on(["t1", "t2"]), case(2, "crashed"), case(3)], new)
    entry = written.entries[REQUIREMENT]
    assert (entry.cases, entry.machines) == ([ONE, TWO], ["t1", "t2"])
    assert (written.covers(ONE, [REQUIREMENT], ["t2"]), written.covers(case(3).id, [REQUIREMENT])) == (True, False)
    assert not written.covers(ONE, [REQUIREMENT], ["t3"])


@pytest.mark.parametrize(
    ("before", "cases", "after"),
    [
        (failure(requirement=REQUIREMENT, cases=[ONE, TWO]), [case(1), case(2, "expected failure")], [TWO]),
        (failure(requirement=REQUIREMENT, cases=[ONE]), [case(1, "expected failure"), case(2, "failed")], [ONE, TWO]),
        (failure(requirement=REQUIREMENT, cases=[ONE, TWO]), [case(1, "not claimed"), case(2)], [ONE]),
        (failure(requirement=REQUIREMENT), [case(1, "expected failure")], None),
    ],
)
def test_a_refreshed_entry_names_what_fails_now_and_what_was_not_asked(before, cases, after):
    known = refreshed(KnownFailures({REQUIREMENT: before}), cases, None)
    assert known.entries[REQUIREMENT].cases == after


def test_a_refreshed_entry_goes_when_it_is_met():
    known = KnownFailures({REQUIREMENT: failure(requirement=REQUIREMENT, cases=[ONE])})
    assert refreshed(known, [case(1, "unexpectedly passed")], None).entries == {}


def test_machines_stay_where_conversations_were_not_asked():
    known = KnownFailures({REQUIREMENT: failure(requirement=REQUIREMENT, cases=[ONE, TWO], machines=["t1"])})
    after = refreshed(known, [case(2, "expected failure")], None).entries[REQUIREMENT]
    assert (after.cases, after.machines) == ([ONE, TWO], ["t1"])


def test_a_case_with_an_entry_of_its_own_needs_no_other():
    known = KnownFailures({ONE: failure(case=ONE)})
    assert refreshed(known, [case(1, "failed")], None) == known
    with pytest.raises(UsageError, match="1 new entries"):
        refreshed(known, [case(1, "failed"), case(2, "failed")], None)
