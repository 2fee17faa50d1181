"""full-pcpus-only: whole cores, or a refusal, alone and beside other options.

The sentences are on the page Node Resource Managers, section full-pcpus-only, unless a requirement says otherwise.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.choice import ACROSS_NUMA, BY_SOCKET, WHOLE_CORES, Choice, adds_up, split_cores
from ..judge.given import Given
from .containers import wants_its_own
from .guards import static, with_option

NO_WHOLE_CORES = "SMTAlignmentError"


def _asks_for_a_part_of_a_core(given: Given) -> bool:
    cores, number = given.machine.core_bits, given.exclusive or 0
    return number <= given.machine.online_bits.bit_count() and not adds_up(cores, number)


asks_for_a_part_of_a_core = Guard[Given](
    "cores add up to what the container asks for, or the machine has not so many CPUs", _asks_for_a_part_of_a_core
)
has_none_yet = Guard[Given]("the container has CPUs already", lambda given: given.had is None and not given.ended)

PARTIAL = (static, with_option(WHOLE_CORES), wants_its_own, has_none_yet, asks_for_a_part_of_a_core)


@checker(
    "cpu-manager/full-pcpus-only/refuses-a-partial-core",
    Given,
    when=PARTIAL,
)
def refuses_a_partial_core(given: Given) -> Judgement:
    """Every container must be served by whole cores; one that is asked for alone is refused as SMTAlignmentError."""
    named = NO_WHOLE_CORES in (given.reason, *given.refusal.split()) or not given.reason
    sizes = " or ".join(str(size) for size in sorted({core.bit_count() for core in given.machine.core_bits}))
    return violated(
        given.held is None and named,
        f"container {given.key} asks for {given.exclusive} CPUs, which are no whole cores of {sizes} threads",
        got=given.in_words,
        allowed=f"a refusal: {NO_WHOLE_CORES}",
    )


def _must_be_whole(subject: Given | Choice) -> bool:
    if subject.chosen is None or isinstance(subject, Given):
        return subject.chosen is not None
    return (subject.admits or subject.can_be_whole_cores) and not split_cores(subject.machine, subject.reusable)


must_be_whole = Guard[Given | Choice](
    "no choice of the asked number among free CPUs shows, no whole cores add up to it and it cannot be refused,"
    " or parts of cores may be reused",
    _must_be_whole,
)
full_pcpus_only = Guard[Given | Choice]("full-pcpus-only is off", lambda subject: WHOLE_CORES in subject.options)


@checker("cpu-manager/full-pcpus-only/gives-whole-cores", Given, Choice, when=(full_pcpus_only, must_be_whole))
def gives_whole_cores(subject: Given | Choice) -> Judgement:
    """Full physical cores, always: also of what an init container leaves; where they do not suffice, a refusal."""
    taken = subject.chosen or 0
    split = split_cores(subject.machine, taken)
    return violated(
        not split,
        f"cores are split: of the CPUs {format_bits(split)} only {format_bits(split & taken)} are given",
        got=format_bits(taken),
        allowed="whole cores",
        about=subject.about("cpu", "config:cpuManagerPolicyOptions") if isinstance(subject, Given) else (),
        split=split,
    )


OTHERS = frozenset({ACROSS_NUMA, BY_SOCKET})
beside_another_option = Guard[Given | Choice](
    "distribute-cpus-across-numa and align-by-socket are off", lambda subject: OTHERS & subject.options
)
no_core_is_split = Guard[Choice]("parts of cores are free", lambda choice: choice.available == choice.whole_core_cpus)


@checker("cpu-manager/full-pcpus-only/are-additive", Given, when=(beside_another_option, *PARTIAL))
def refuses_a_partial_core_beside_others(given: Given) -> Judgement:
    """Beside distribute-cpus-across-numa and align-by-socket parts of cores are refused too."""
    return refuses_a_partial_core(given)


@checker(
    "cpu-manager/full-pcpus-only/are-additive",
    Choice,
    when=(beside_another_option, full_pcpus_only, must_be_whole, no_core_is_split),
)
def gives_whole_cores_beside_others(choice: Choice) -> Judgement:
    """Beside them whole cores are given too."""
    return gives_whole_cores(choice)
