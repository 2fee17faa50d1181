"""Tests of one's own beside the suite: counted apart, told apart, and no part of the target's verdict."""

import pytest

from asked_in_full import deep

FAILS = "def test_own():\n    assert 1 == 2\n"
FIXTURE_FAILS = (
    "import pytest\n@pytest.fixture\ndef mine():\n    raise OSError('mine')\ndef test_own(mine):\n    pass\n"
)


@pytest.mark.parametrize(
    ("text", "workers"), [(FAILS, "0"), pytest.param(FAILS, "2", marks=deep), (FIXTURE_FAILS, "0")]
)
def test_a_test_of_ones_own_that_fails_changes_no_verdict(suite, pytester, report, text, workers):
    pytester.makepyfile(test_own=text)
    result = suite("test_own.py", "--numa-profile", "plugin", "--numa-report", "out", "-n", workers)
    assert result.ret == 1
    assert report()["verdict"] == "conformant"
    assert not any("test_own" in case["id"] for case in report()["cases"])
    assert result.outlines[-1] == "1 test of your own failed, which changes no verdict"


def test_a_file_of_ones_own_that_cannot_be_collected_is_no_error_of_the_suite(suite, pytester, report):
    pytester.makepyfile(test_own="import no_such_module\n")
    result = suite("test_own.py", "--numa-profile", "plugin", "--numa-report", "out")
    assert (result.ret, report()["verdict"]) == (2, "not tested")
    assert "The suite itself went wrong" not in result.stdout.str()


def test_ones_own_tests_that_pass_are_not_mentioned(suite, pytester):
    pytester.makepyfile(test_own="def test_own():\n    pass\n")
    result = suite("test_own.py", "--numa-profile", "plugin")
    assert result.ret == 0
    assert "of your own" not in result.stdout.str()


def test_the_list_names_cases_of_the_suite_only(suite, pytester):
    pytester.makepyfile(test_own=FAILS)
    result = suite("test_own.py", "--numa-profile", "plugin", "--numa-list")
    assert result.ret == 0
    assert "test_own" not in result.stdout.str()
