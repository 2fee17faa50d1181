"""Starts at which options take effect wrongly, each by one sentence, and others that keep it."""

from __future__ import annotations

from collections.abc import Mapping

from ....asking.generators.option_probes import PROBES, probe_of
from ....asking.generators.workloads import static
from ....asking.generators.worlds import started
from ....judging.chapter import judges_of
from ....judging.choice import ACROSS_NUMA, BY_UNCORE, WHOLE_CORES
from ....judging.start_subjects import Start
from ....machine import load_machine
from ...pairs import Judge, Pairs
from . import maturity as chapter

Outcome = tuple[str | None, str] | None
"""The first pod's CPUs, None where it is refused, and the shared pool; None where the node does not come up."""
Gates = Mapping[str, bool]
HIDING = {"CPUManagerPolicyAlphaOptions": False, "CPUManagerPolicyBetaOptions": False}


def start(option: str, outcome: Outcome, *on: str, gates: Gates | None = None, plain: Start | None = None) -> Start:
    """Describe a start with options on, whose configuration and first pod show one of them."""
    machine = "t4-four-uncores" if option == BY_UNCORE else "t3-two-numa-per-socket"
    probe, (cpus, pool) = probe_of(option, load_machine(machine)), outcome or (None, "")
    gates = {**static(*on)["featureGates"], **(gates or {})} if on else gates or {}
    config = {**static(*on), **(probe.kubelet if probe else {}), "featureGates": gates}
    wanted, up = probe.pod if probe else None, outcome is not None
    return started(machine, config, wanted, cpus, up=up, pool=pool, plain=plain)


def of_every_option(
    option: str, without: str | None, effect: str | None, pools: tuple[str, str] = ("0-31", "0-31")
) -> Pairs:
    """Return the pairs of what is asked of every option: the first pod's CPUs, and the pool, without it and with it."""
    ignored, taken = zip((without, effect), pools, strict=True)
    plain = start(option, ignored)
    worst = None if PROBES[option].best_effort else ignored
    available, hidden = map(judge_of, chapter.OF_EVERY_OPTION[option])
    return {
        available: (start(option, worst, option, plain=plain), start(option, taken, option, plain=plain)),
        hidden: (
            start(option, taken, option, gates=HIDING, plain=plain),
            start(option, ignored, option, gates=HIDING, plain=plain),
        ),
    }


def judge_of(requirement: str) -> Judge:
    """Return the judge of a requirement that has one."""
    (check,) = judges_of(requirement)
    return check.function


SPLIT, REFUSED = ("1", "0-31"), (None, "0-31")
PLAIN = start(WHOLE_CORES, SPLIT)
ALPHA, OFF = {"CPUManagerPolicyAlphaOptions": True}, {"CPUManagerPolicyOptions": False}

PAIRS: Pairs = {
    chapter.are_named_one_by_one: (
        start(WHOLE_CORES, REFUSED, gates=ALPHA, plain=PLAIN),
        start(WHOLE_CORES, SPLIT, gates=ALPHA, plain=PLAIN),
    ),
    chapter.gate_off_means_defaults: (
        start(WHOLE_CORES, REFUSED, WHOLE_CORES, gates=OFF, plain=PLAIN),
        start(WHOLE_CORES, SPLIT, WHOLE_CORES, gates=OFF, plain=PLAIN),
    ),
    chapter.options_add_up: (
        start(WHOLE_CORES, None, WHOLE_CORES, ACROSS_NUMA),
        start(WHOLE_CORES, REFUSED, WHOLE_CORES, ACROSS_NUMA),
    ),
    **{
        judge_of(id): (start(both[0], SPLIT, *both), start(both[0], None, *both))
        for id, both in chapter.EXCLUDED.items()
    },
}
