"""Whatever a target answers, it is the target's verdict: driving and judging raise nothing."""

import random
from collections import Counter
from functools import cache, partial

import pytest

from directly import OFFERED
from noise import Chaos
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.groups import GROUPS
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.verdicts import judge
from numa_conformance.wire import Client, Crashed, InProcess

SEEDS = 500
BLOCKS = 5
RATES = (0.0, 0.2)
"""Of answers that are spoilt: of every tenth scenario none is, so that some are met, however long scenarios become."""
MUST = frozenset(name for name, requirement in REQUIREMENTS.items() if requirement.strength == "MUST")


class _Contained(InProcess):
    """Has what would end this process end the target's alone, as a child does; a thousand children take long."""

    def request(self, message):
        try:
            return super().request(message)
        except (KeyboardInterrupt, SystemExit) as error:
            self.close()
            raise Crashed(f"the target raised {type(error).__name__}") from None


@cache
def _scenarios() -> list[Scenario]:
    description = Client(InProcess(lambda: Chaos(0), "chaos")).description
    claimed = OFFERED.intersection(description.features)
    mixed = [one for group in GROUPS.values() for one in group.scenarios(claimed, 0)]
    random.Random("mixed").shuffle(mixed)
    return mixed


@pytest.mark.parametrize("block", range(BLOCKS))
def test_nothing_that_a_target_answers_is_an_error_of_the_suite(block: int):
    ended: Counter[str] = Counter()
    for seed in range(block, SEEDS, BLOCKS):
        rate = RATES[seed // BLOCKS % 10 > 0]
        client = Client(_Contained(partial(Chaos, seed, rate=rate, raising=True), "chaos"))
        history, fault = drive(_scenarios()[seed], client, "1.32")
        unmet = {
            name for name in MUST & judge(history).unmet if client.features.issuperset(REQUIREMENTS[name].features)
        }
        verdict = fault.verdict if fault else "broken" if unmet else "met"
        assert rate or verdict == "met"
        ended[verdict] += 1
        client.close()
    assert ended.keys() >= {"crashed", "bad reply", "broken", "met"}, ended
    assert sum(ended.values()) == SEEDS // BLOCKS
