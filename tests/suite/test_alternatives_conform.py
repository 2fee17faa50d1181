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


OF_HOSTS = ("writes_a_numa_node_of_the_pool_into_cgroups", "writes_cgroups_from_the_second_pass_after_a_restart")
"""A host may keep shared containers to a part of the pool, and mend cgroups in two passes."""


@pytest.mark.parametrize("name", OF_HOSTS)
def test_a_host_is_conformant(name, tmp_path):
    wanted = [name for name in OF_TARGETS if name.startswith("host/reconcile/")]
    suite = CollectedSuite(tmp_path)
    try:
        code, printed = suite.ask(f"alternatives:{name}", "documented", wanted, tmp_path)
    finally:
        suite.close()
    assert code == 0, printed


def test_there_are_many():
    assert len(ALTERNATIVES) >= 25
