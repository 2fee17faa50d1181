"""``--numa-deep``: progress on a terminal, silence in CI."""

import io
from types import SimpleNamespace

import pytest

from asked_in_full import DEEP
from numa_conformance.plugin.deep import DeepProgress, LongSearch


def test_draws_the_test_its_questions_and_how_many_tests_there_are():
    terminal, client = io.StringIO(), SimpleNamespace(questions=0)
    progress = DeepProgress(client, terminal)
    items = [SimpleNamespace(name="test_one"), SimpleNamespace(name="test_two")]
    progress.pytest_collection_finish(SimpleNamespace(items=items))
    for item in items:
        running = progress.pytest_runtest_call(item)
        next(running)
        client.questions += 1500
        with pytest.raises(StopIteration) as ended:
            running.send("passed")
        assert ended.value.value == "passed"
    drawn = terminal.getvalue()
    assert "test_one" in drawn
    assert "1/2" in drawn
    assert "1,500 questions" in drawn
    progress.pytest_unconfigure()
    assert terminal.closed


def test_is_silent_in_ci(monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert DeepProgress.open(SimpleNamespace(questions=0), 1) is None


def searching(calls, searches=True, skipped=False):
    marks = {"searches": searches, "skip": skipped}
    return SimpleNamespace(
        obj=lambda number: calls.append(number),
        funcargs={"number": 7, "other": 8},
        _fixtureinfo=SimpleNamespace(argnames=("number",)),
        get_closest_marker=lambda name: marks[name] or None,
    )


def test_each_searching_test_goes_on_for_its_share_of_the_time():
    calls, ticks = [], iter(range(100))
    search = LongSearch(6, clock=lambda: next(ticks))
    items = [searching(calls), searching(calls), searching(calls, skipped=True), searching(calls, searches=False)]
    search.pytest_collection_finish(SimpleNamespace(items=items))
    assert search.pytest_pyfunc_call(items[0]) is True
    assert calls == [7, 7, 7]  # a share of three seconds, of a clock that ticks at each look
    assert search.pytest_pyfunc_call(items[3]) is None
    assert calls == [7, 7, 7]


def test_a_search_without_time_asks_once():
    calls = []
    search = LongSearch(0, clock=lambda: 0.0)
    item = searching(calls)
    search.pytest_collection_finish(SimpleNamespace(items=[item]))
    assert search.pytest_pyfunc_call(item) is True
    assert calls == [7]


@pytest.mark.skipif(not DEEP, reason="it searches for seconds; the deep profile asks it")
def test_a_deep_search_saves_its_examples(suite, pytester):
    requirement = ("--numa-requirement", "cpu-manager/static/integral-guaranteed-is-exclusive")
    result = suite(
        "--numa-deep", *requirement, "-k", "test_choices_of_cpus_on_odd", "--numa-target",
        "mutants:picks_one_too_few", "--numa-no-shrink",
    )  # fmt: skip
    assert result.ret == 1
    assert any((pytester.path / ".hypothesis" / "examples").iterdir())
