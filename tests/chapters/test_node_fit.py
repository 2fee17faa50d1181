"""Whether requests are added up is asked of those who say that they do."""

import random

import msgspec
import pytest

from numa_conformance.asking.asking import Asking
from numa_conformance.asking.groups import GROUPS
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess

FIT = "node/fit/refuses-more-cpus-than-are-allocatable"


class Boasts(ReferenceTarget):
    """Says that it adds up requests, and does not."""

    def describe(self, request):
        told = super().describe(request)
        return msgspec.structs.replace(told, features=sorted({*told.features, "node/fit"}))


@pytest.mark.parametrize(
    ("target", "met"), [(ReferenceTarget("documented", resource_fit=True), True), (Boasts("documented"), False)]
)
def test_who_adds_up_refuses_what_is_too_much(target, met):
    client = Client(InProcess(lambda: target, "target"))
    lives = list(GROUPS["lives"].scenarios(client.features, 0))
    random.Random(1).shuffle(lives)
    verdicts = Asking(lives[:60], client, "1.37", only=frozenset({FIT})).spend().verdicts
    assert verdicts.tests[FIT] >= 5
    assert (FIT not in verdicts.unmet) is met


def test_who_says_nothing_of_it_is_not_asked():
    client = Client(InProcess(ReferenceTarget, "reference"))
    assert not client.features.issuperset(REQUIREMENTS[FIT].features)
