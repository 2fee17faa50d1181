"""Answers that are well typed and wrong in one field: each run of the suite comes to a verdict, in bounded time."""

import json
import time

import pytest

from asked_in_full import DEEP
from chaos import SPOILT, spoilt_by
from collected_suite import CollectedSuite
from numa_conformance.suite.asking.groups import JUDGED, groups_of

ASKED = [method for method, surface in sorted(SPOILT.items()) if any(groups_of(name, {surface}) for name in JUDGED)]
"""The methods that generated conversations ask."""
SEEDS = [seed for seed in (range(300) if DEEP else (2, 6, 12, 15)) if spoilt_by(seed) in ASKED]
"""By default hints, admissions, starts and scores are spoilt."""
PARTS = 4
"""Each seed asks for a part of the requirements, the next one for another."""
SECONDS = 240.0
"""A run takes a sixtieth of it on an idle machine."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    collected = CollectedSuite(tmp_path_factory.mktemp("suite"))
    yield collected
    collected.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_one_wrong_field_is_a_fault_of_the_target_or_none(suite, seed, tmp_path):
    shown = [name for name in JUDGED if groups_of(name, {SPOILT[spoilt_by(seed)]})][seed % PARTS :: PARTS]
    began = time.monotonic()
    code, printed = suite.ask(f"chaos:one_field_{seed}", "documented", shown, tmp_path, part="1%")
    assert time.monotonic() - began < SECONDS
    report = json.loads((tmp_path / "report.json").read_text())
    assert [(case["id"], case["details"]) for case in report["cases"] if case["verdict"] == "error"] == []
    assert (code, report["verdict"]) in ((1, "not conformant"), (0, "partial")), printed
    assert report["complete"]
