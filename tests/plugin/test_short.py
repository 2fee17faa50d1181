"""``--numa-budget``: searches at random ask a part of their examples, or what a slow target answers in a time."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from hypothesis import Phase, settings

from numa_conformance.plugin.search_budget import FEW, LEAST, PartSearch, ShortSearch

WHOLE = 40


@pytest.fixture(autouse=True)
def profile():
    before = settings.default
    settings.register_profile("of the test", max_examples=WHOLE, deadline=None)
    settings.load_profile("of the test")
    yield
    settings.register_profile("as before", before)
    settings.load_profile("as before")


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def run(seconds, costs, fails_at=None, tests=1):
    """Run a search whose examples cost so many seconds each; return what it was called with: examples, smaller."""
    clock, called = Clock(), []
    expected = pytest.raises(AssertionError, match="found") if fails_at else nullcontext()

    def search():
        examples, smaller = settings.default.max_examples, Phase.shrink in settings.default.phases
        called.append((examples, smaller))
        if fails_at is not None and examples >= fails_at:
            clock.now += fails_at * costs
            raise AssertionError("found")
        clock.now += examples * costs

    item = SimpleNamespace(
        obj=search,
        funcargs={},
        _fixtureinfo=SimpleNamespace(argnames=()),
        get_closest_marker=lambda name: name == "searches" or None,
    )
    short = ShortSearch(lambda: max(0.0, seconds - clock()), clock)
    short.pytest_collection_finish(SimpleNamespace(items=[item] * tests))
    with expected:
        assert short.pytest_pyfunc_call(item) is True
    assert settings.default.max_examples == WHOLE
    return called


def test_a_fast_target_is_asked_all_and_its_failures_are_made_smaller():
    assert run(seconds=100, costs=0.01) == [(FEW, False), (WHOLE, True)]


def test_a_slow_target_is_asked_what_fits_its_share():
    assert run(seconds=20, costs=1) == [(FEW, False), (20, False)]
    assert run(seconds=40, costs=1, tests=2) == [(FEW, False), (20, False)]


def test_a_few_are_begun_while_there_is_time():
    assert run(seconds=1, costs=10) == [(FEW, False)]
    with pytest.raises(pytest.skip.Exception, match="not asked within the budget"):
        run(seconds=0, costs=10)


@pytest.mark.parametrize(("costs", "calls"), [(1, [(FEW, False)]), (0.01, [(FEW, False), (FEW, True)])])
def test_what_fails_is_made_smaller_where_there_is_time_for_it(costs, calls):
    assert run(seconds=20, costs=costs, fails_at=2) == calls


@pytest.mark.parametrize(("part", "examples"), [(0.5, 20), (0.02, LEAST), (1.0, WHOLE)])
def test_a_part_of_the_examples_is_asked_ten_at_least(part, examples):
    called = []
    item = SimpleNamespace(
        obj=lambda: called.append((settings.default.max_examples, Phase.shrink in settings.default.phases)),
        funcargs={},
        _fixtureinfo=SimpleNamespace(argnames=()),
        get_closest_marker=lambda name: name == "searches" or None,
    )
    assert PartSearch(lambda: part).pytest_pyfunc_call(item) is True
    assert called == [(examples, True)]
    assert settings.default.max_examples == WHOLE


@pytest.mark.parametrize("short", [ShortSearch(lambda: 10.0), PartSearch(lambda: 0.5)])
def test_other_tests_are_called_as_ever(short):
    item = SimpleNamespace(obj=lambda: None, get_closest_marker=lambda name: None)
    assert short.pytest_pyfunc_call(item) is None
