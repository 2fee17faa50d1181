"""Each judge of a sentence condemns the wrong case of its pair, and passes the right one."""

from __future__ import annotations

import pytest

from numa_conformance.chapters import pairs as book
from numa_conformance.judging.chapter import CHECKERS, Checker


@pytest.mark.parametrize("check", CHECKERS, ids=lambda check: check.requirement)
def test_a_judge_condemns_what_is_wrong_and_passes_what_is_right(check: Checker):
    wrong, right = (book.violations(check, case) for case in book.pairs()[check.function])
    assert wrong
    assert right == []
