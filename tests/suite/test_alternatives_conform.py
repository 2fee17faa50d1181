"""Allocators that differ from the reference and break no sentence of the pages meet every requirement."""

import pytest

from alternatives import ALTERNATIVES
from asked_in_full import DEEP
from collected_suite import CollectedSuite
from directly import broken_by
from numa_conformance.chapters import OF_TARGETS

NAMES = sorted(ALTERNATIVES)
PART = 4 if DEEP else 4 * len(NAMES)
"""Of the scenarios one in so many is asked, of each alternative others; all take half a minute for each."""


@pytest.mark.parametrize("name", NAMES)
def test_an_alternative_is_conformant(name):
    assert broken_by(ALTERNATIVES[name], part=slice(NAMES.index(name) % PART, None, PART)) is None


def test_a_host_may_keep_shared_containers_to_a_part_of_the_pool(tmp_path):
    wanted = [name for name in OF_TARGETS if name.startswith("host/reconcile/")]
    suite = CollectedSuite(tmp_path)
    try:
        code, printed = suite.ask(
            "alternatives:writes_a_numa_node_of_the_pool_into_cgroups", "documented", wanted, tmp_path
        )
    finally:
        suite.close()
    assert code == 0, printed


def test_there_are_many():
    assert len(ALTERNATIVES) >= 25
