"""Starts, choices of CPUs and pods under options of policy static: wrong by one sentence, and right."""

from collections.abc import Mapping
from functools import partial

from msgspec.structs import replace

from numa_conformance.asking.generators.option_probes import PROBES, probe_of
from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.chapters.cpu.options import (
    align_by_socket,
    distribute_cpus_across_cores,
    distribute_cpus_across_numa,
    full_pcpus_only,
    maturity,
    prefer_align_cpus_by_uncorecache,
)
from numa_conformance.chapters.pairs import Judge, Pairs, twin
from numa_conformance.judging.chapter import judges_of
from numa_conformance.judging.choice import (
    ACROSS_CORES,
    ACROSS_NUMA,
    BY_SOCKET,
    BY_UNCORE,
    STRICT,
    WHOLE_CORES,
    CpuChoice,
)
from numa_conformance.judging.start_subjects import Start
from numa_conformance.machine import load_machine

from .worlds import admitted, held, node, picked, refused, started

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
    available, hidden = map(judge_of, maturity.OF_EVERY_OPTION[option])
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


SPLIT, FIRST_REFUSED = ("1", "0-31"), (None, "0-31")
PLAIN = start(WHOLE_CORES, SPLIT)
ALPHA, OFF = {"CPUManagerPolicyAlphaOptions": True}, {"CPUManagerPolicyOptions": False}
FOUR_NODES, IN_USE = "t3-two-numa-per-socket", "1-15,17-31"
"""Two sockets of two NUMA nodes, each of four cores: 0,16 to 3,19, and so on; most of their CPUs."""
NINE, WIDE = guaranteed("p", 9), guaranteed("wide", 9)
"""More CPUs than a NUMA node has."""
CORES, THREE = "t1-one-socket-smt2", guaranteed("p", 3)
"""Four cores of two threads: 0,4 to 3,7."""
ALONE, TOGETHER = (
    node(CORES, static(*options, reserved="0,4")) for options in ((WHOLE_CORES,), (WHOLE_CORES, ACROSS_NUMA))
)

REFUSED = refused(node(FOUR_NODES, static(WHOLE_CORES)), THREE)
NO_CORES = replace(REFUSED, reason="SMTAlignmentError")


def divided(cpus: str, free: str = "0-31") -> CpuChoice:
    """Describe a choice on four NUMA nodes."""
    return picked(FOUR_NODES, free, cpus, ACROSS_NUMA)


UNDER_SINGLE = partial(started, FOUR_NODES, static(BY_SOCKET, topology="single-numa-node", reserved="0,16"), WIDE)
MORE_SOCKETS = partial(started, "t5-two-sockets-one-numa", static(BY_SOCKET, topology="restricted"), WIDE)


def sixteen(cpus: str, free: str) -> CpuChoice:
    """Describe a choice of as many CPUs as a socket has."""
    return picked(FOUR_NODES, free, cpus, BY_SOCKET)


BY_SOCKETS = node(FOUR_NODES, static(BY_SOCKET, topology="restricted"))


def cached(cpus: str | int, free: str = "0-31") -> CpuChoice:
    """Describe a choice among four uncore caches, which are those of the NUMA nodes."""
    return picked(FOUR_NODES, free, cpus, BY_UNCORE)


BY_CACHES = node(FOUR_NODES, static(BY_UNCORE))

PAIRS: Pairs = {
    maturity.are_named_one_by_one: (
        start(WHOLE_CORES, FIRST_REFUSED, gates=ALPHA, plain=PLAIN),
        start(WHOLE_CORES, SPLIT, gates=ALPHA, plain=PLAIN),
    ),
    maturity.gate_off_means_defaults: (
        start(WHOLE_CORES, FIRST_REFUSED, WHOLE_CORES, gates=OFF, plain=PLAIN),
        start(WHOLE_CORES, SPLIT, WHOLE_CORES, gates=OFF, plain=PLAIN),
    ),
    maturity.options_add_up: (
        start(WHOLE_CORES, None, WHOLE_CORES, ACROSS_NUMA),
        start(WHOLE_CORES, FIRST_REFUSED, WHOLE_CORES, ACROSS_NUMA),
    ),
    **{
        judge_of(id): (start(both[0], SPLIT, *both), start(both[0], None, *both))
        for id, both in maturity.EXCLUDED.items()
    },
    **of_every_option(STRICT, without="1", effect="1", pools=("0-31", "0-30")),
    **of_every_option(WHOLE_CORES, without="1", effect=None),
    full_pcpus_only.refuses_a_partial_core: (admitted(ALONE, THREE, c=held("1-2,5")), refused(ALONE, THREE)),
    full_pcpus_only.gives_whole_cores: (
        picked(CORES, "1-3,5-7", "1-2", WHOLE_CORES),
        picked(CORES, "1-3,5-7", "1,5", WHOLE_CORES),
    ),
    full_pcpus_only.refuses_a_partial_core_beside_others: (
        admitted(TOGETHER, THREE, c=held("1-2,5")),
        refused(TOGETHER, THREE),
    ),
    full_pcpus_only.gives_whole_cores_beside_others: (
        picked(CORES, "1-3,5-7", "1-2", WHOLE_CORES, ACROSS_NUMA),
        picked(CORES, "1-3,5-7", "1,5", WHOLE_CORES, ACROSS_NUMA),
    ),
    full_pcpus_only.refused_pods_are_failed: (replace(NO_CORES, phase="Terminated"), replace(NO_CORES, phase="Failed")),
    full_pcpus_only.tells_that_whole_cores_are_missing: (REFUSED, NO_CORES),
    **of_every_option(ACROSS_CORES, without="1-8,17-23", effect="1-15"),
    distribute_cpus_across_cores.takes_separate_cores: (
        picked("t1-one-socket-smt2", "0-7", "0,4", ACROSS_CORES),
        picked("t1-one-socket-smt2", "0-7", "0-1", ACROSS_CORES),
    ),
    **of_every_option(ACROSS_NUMA, without="4-9,20-25", effect="4-6,8-10,20-22,24-26"),
    distribute_cpus_across_numa.keeps_one_node: (divided("0,4,16,20"), divided("0-1,16-17")),
    distribute_cpus_across_numa.spreads_evenly: (divided("0-5,16-21"), divided("0-2,4-6,16-18,20-22")),
    twin(distribute_cpus_across_numa.spreads_evenly): (divided("4-9,20-25", IN_USE), divided("1-6,17-22", IN_USE)),
    **of_every_option(BY_SOCKET, without=None, effect="1-3,5,17-19,21"),
    align_by_socket.stays_in_one_socket: (sixteen("0-3,8-11,16-19,24-27", "0-31"), sixteen("0-7,16-23", "0-31")),
    twin(align_by_socket.stays_in_one_socket): (
        sixteen("1-8,17-24", "1-15,17-31"),
        sixteen("8-15,24-31", "1-15,17-31"),
    ),
    align_by_socket.has_no_effect_under_single_numa_node: (UNDER_SINGLE("1-8,17"), UNDER_SINGLE(None)),
    align_by_socket.has_no_effect_with_more_sockets: (MORE_SOCKETS(None), MORE_SOCKETS("1-9")),
    align_by_socket.restricted_admits_on_one_socket: (
        refused(BY_SOCKETS, NINE),
        admitted(BY_SOCKETS, NINE, c=held("8-15,24")),
    ),
    **of_every_option(BY_UNCORE, without="2-5,18-21", effect="4-7,20-23"),
    prefer_align_cpus_by_uncorecache.stays_in_one_cache: (cached("0,4,16,20"), cached("0-1,16-17")),
    twin(prefer_align_cpus_by_uncorecache.stays_in_one_cache): (
        cached("1,4,17,20", IN_USE),
        cached("4-5,20-21", IN_USE),
    ),
    prefer_align_cpus_by_uncorecache.uses_few_caches: (
        cached("0-2,4-6,8-9,16-18,20-22,24-25"),
        cached("0-3,8-11,16-19,24-27"),
    ),
    prefer_align_cpus_by_uncorecache.never_refuses: (cached(2), cached("0,5")),
    prefer_align_cpus_by_uncorecache.caches_are_no_reason_to_refuse: (
        refused(BY_CACHES, NINE),
        admitted(BY_CACHES, NINE, c=held("4-7,20-24")),
    ),
}
