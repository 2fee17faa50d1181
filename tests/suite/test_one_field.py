"""Answers that are well typed and wrong in one field: each run of the suite comes to a verdict, in bounded time."""

import json
import random
import time
from functools import cache
from itertools import count

import pytest

from asked_in_full import DEEP, deep
from collected_suite import CollectedSuite
from noise import OneField, spoilt_by
from noise.chaos import SPOILT
from numa_conformance.asking.drive import drive
from numa_conformance.asking.findings.telling import finding_of, other_broken
from numa_conformance.asking.groups import ALL, GROUPS, groups_of, judged
from numa_conformance.asking.shrinking import shortened, times_seen
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.verdicts import judge
from numa_conformance.report.reference_answers import quirks_in_history, with_reference
from numa_conformance.sources.versions import DEFAULT
from numa_conformance.wire import Client, InProcess, Unsupported

OF_HOSTS = [id for id in REQUIREMENTS if id.startswith("host/")]
"""What no generated conversation asks."""
SEEDS = range(300) if DEEP else (2,)
PARTS = 4
"""Each seed asks for a part of the requirements, the next one for another."""
TRIES = 300
"""Looks at the clock that counts them, while a shorter conversation is sought."""
SECONDS = 240.0
"""Time of the processor; a sixtieth of it is used."""


TOLD = [seed for seed in range(300 if DEEP else 12) if SPOILT[spoilt_by(seed)] != "host"]
CONVERSATIONS = 6
"""Of each of these seeds."""


@cache
def small_ones(surface):
    groups = [group for group in GROUPS.values() if group.surface == surface]
    found = [scenario for group in groups for scenario in list(group.scenarios(ALL, 0))[:: 7 if DEEP else 29]]
    return [scenario for scenario in found if len(scenario.machine.cpus) <= 32]


@pytest.mark.parametrize("seed", TOLD)
def test_what_is_wrong_is_found_made_shorter_asked_again_and_told(seed):
    client = Client(InProcess(lambda: OneField(seed), "one field"))
    began = time.process_time()
    for scenario in random.Random(seed).choices(small_ones(SPOILT[spoilt_by(seed)]), k=CONVERSATIONS):
        history, fault = drive(scenario, client, str(DEFAULT))
        for broken in judge(history).broken[:1]:
            shortest = shortened(broken, client, seconds=TRIES, clock=count().__next__)
            finding = finding_of(shortest)
            assert finding.why
            assert with_reference(finding.scenario, "documented")["answered"] == finding.scenario["answered"]
            times_seen(shortest.history, broken.requirement, client)
            assert broken.requirement not in other_broken(shortest)
            quirks_in_history(shortest.history, broken.requirement)
        assert fault is None or isinstance(fault, Unsupported) or fault.verdict == "bad reply"
    client.close()
    assert time.process_time() - began < SECONDS


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    collected = CollectedSuite(tmp_path_factory.mktemp("suite"))
    yield collected
    collected.close()


@deep
@pytest.mark.parametrize("seed", SEEDS)
def test_one_wrong_field_is_a_fault_of_the_target_or_none(suite, seed, tmp_path):
    surface = SPOILT[spoilt_by(seed)]
    in_conversations = [name for name in judged() if groups_of(name, {surface})]
    shown = OF_HOSTS if surface == "host" else in_conversations[seed % PARTS :: PARTS]
    assert shown
    code, printed = suite.ask(f"noise:one_field_{seed}", "documented", shown, tmp_path, part="1%")
    report = json.loads((tmp_path / "report.json").read_text())
    assert [(case["id"], case["details"]) for case in report["cases"] if case["verdict"] == "error"] == []
    contradicts = any("contradicts itself" in problem for problem in report["problems"])
    assert (code, report["verdict"]) in ((1, "not conformant"), (int(contradicts), "partial")), printed
    assert report["complete"]
