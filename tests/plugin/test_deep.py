"""``--numa-deep``: progress on a terminal, silence in CI."""

import io
from types import SimpleNamespace

import pytest

from numa_conformance.pytest_plugin.deep import DeepProgress


def test_draws_the_test_its_questions_and_how_many_tests_there_are():
    terminal, client = io.StringIO(), SimpleNamespace(asked=0)
    progress = DeepProgress(client, terminal)
    items = [SimpleNamespace(name="test_one"), SimpleNamespace(name="test_two")]
    progress.pytest_collection_finish(SimpleNamespace(items=items))
    for item in items:
        running = progress.pytest_runtest_call(item)
        next(running)
        client.asked += 1500
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
    assert DeepProgress.open(SimpleNamespace(asked=0)) is None


def test_a_deep_search_saves_its_examples(suite, pytester):
    requirement = ("--numa-requirement", "cpu-manager/static/integral-guaranteed-is-exclusive")
    result = suite(
        "--numa-deep", *requirement, "-k", "chooses_so_many_of", "--numa-target",
        "mutants:picks_one_too_few",
    )  # fmt: skip
    assert result.ret == 1
    assert any((pytester.path / ".hypothesis" / "examples").iterdir())
