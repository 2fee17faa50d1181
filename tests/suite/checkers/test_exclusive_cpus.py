"""Who gets CPUs of their own, and whole cores beside other options: wrong by one requirement, beside what is right."""

from __future__ import annotations

import pytest

from numa_conformance.suite.chapters import eligibility, whole_cores
from numa_conformance.suite.generators.workloads import container, guaranteed, pod, static
from numa_conformance.suite.judge.choice import Choice
from numa_conformance.suite.judge.world import World
from worlds import Case, admitted, bits, breaks, held, judged_in, node, refused

STATIC, FULL = "cpu-manager/static/", "cpu-manager/full-pcpus-only/"
LIMITS = pod("p", [container("c", cpu="2", memory="64Mi")])
AFTER_INIT = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="1", memory="64Mi")])


def up(*options: str) -> World:
    """Describe a node of four cores, 0,4 to 3,7, of which the first is reserved."""
    return node("t1-one-socket-smt2", static(*options, reserved="0,4"))


ALONE, TOGETHER = up("full-pcpus-only"), up("full-pcpus-only", "distribute-cpus-across-numa")


def chosen(world: World, cpus: str) -> Choice:
    """Describe a choice of CPUs among those that are free."""
    given = bits(cpus)
    return Choice(world.machine, world.settings.options, world.free, given.bit_count(), given)


CASES: dict[str, Case] = {
    STATIC + "limits-alone-make-guaranteed": (admitted(up(), LIMITS, c=held()), admitted(up(), LIMITS, c=held("1,5"))),
    STATIC + "sidecars-and-init-containers-are-eligible": (
        admitted(up(), AFTER_INIT, i=held(), c=held("1,5")),
        admitted(up(), AFTER_INIT, i=held("1"), c=held("1,5")),
    ),
    FULL + "refuses-a-partial-core": (
        admitted(ALONE, guaranteed("p", 3), c=held("1-2,5")),
        refused(ALONE, guaranteed("p", 3)),
    ),
    FULL + "gives-whole-cores": (chosen(ALONE, "1-2"), chosen(ALONE, "1,5")),
    FULL + "are-additive": (chosen(TOGETHER, "1-2"), chosen(TOGETHER, "1,5")),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() == judged_in(eligibility) | judged_in(whole_cores)


def test_options_beside_full_pcpus_only_do_not_let_cores_be_split() -> None:
    assert breaks(FULL + "are-additive", admitted(TOGETHER, guaranteed("p", 3), c=held("1-2,5")))
    assert breaks(FULL + "are-additive", admitted(ALONE, guaranteed("p", 3), c=held("1-2,5"))) is None
