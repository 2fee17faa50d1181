"""full-pcpus-only: whole cores, or a refusal, alone and beside other options.

The sentences are on the page Node Resource Managers, section full-pcpus-only, unless a requirement says otherwise.
"""

from __future__ import annotations

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, applies, judges, violated
from ..judge.choice import ACROSS_NUMA, BY_SOCKET, WHOLE_CORES, Choice, adds_up, split_cores
from ..judge.given import Given
from .conditions import with_option

chapter = Chapter("cpu-manager/static", "cpu-manager/full-pcpus-only", since="1.22")

NO_WHOLE_CORES = "SMTAlignmentError"


def _asks_for_a_part_of_a_core(given: Given) -> bool:
    cores, number = given.machine.core_bits, given.exclusive or 0
    return number <= given.machine.online_bits.bit_count() and not adds_up(cores, number)


def partial(subject: Given) -> None:
    applies(subject.settings.static, "the CPU Manager's policy is none")
    with_option(subject, WHOLE_CORES)
    applies(subject.exclusive, "the container asks for no CPUs of its own")
    applies(subject.had is None and (not subject.ended), "the container has CPUs already")
    applies(
        _asks_for_a_part_of_a_core(subject),
        "cores add up to what the container asks for, or the machine has not so many CPUs",
    )


@chapter.requires(
    "cpu-manager/full-pcpus-only/refuses-a-partial-core",
    on=Given,
    rests_on=("nrm/full-pcpus-only/all-containers-must-fit", "nrm/full-pcpus-only/smt-alignment-error"),
    area="cpu-manager options",
    beyond="The page calls SMTAlignmentError the message of the pod; the reason is asked for.",
)
def refuses_a_partial_core(given: Given) -> Judgement:
    """A container that asks for exclusive CPUs whose number is not a multiple of the threads of a core is
    refused, with the reason SMTAlignmentError.

    Every container must be served by whole cores; one that is asked for alone is refused as SMTAlignmentError.
    """
    partial(given)
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


def must_be_whole(subject: Given | Choice) -> None:
    applies(
        _must_be_whole(subject),
        "no choice of the asked number among free CPUs shows, no whole cores add up to it and it cannot be refused,"
        " or parts of cores may be reused",
    )


@chapter.requires(
    "cpu-manager/full-pcpus-only/gives-whole-cores",
    on=(Given, Choice),
    rests_on=(
        "nrm/full-pcpus-only/whole-cores",
        "nrm/full-pcpus-only/free-cores-must-suffice",
        "nrm/options/full-pcpus-only",
    ),
    area="cpu-manager options",
)
def gives_whole_cores(subject: Given | Choice) -> Judgement:
    """Exclusive CPUs come as whole physical cores: no other container has a thread of these cores to itself.

    Full physical cores, always: also of what an init container leaves; where they do not suffice, a refusal.
    """
    applies(WHOLE_CORES in subject.options, "full-pcpus-only is off")
    must_be_whole(subject)
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


@chapter.requires(
    "cpu-manager/full-pcpus-only/are-additive",
    "cpu-manager/distribute-cpus-across-numa",
    "cpu-manager/align-by-socket",
    on=Given,
    rests_on=("cpu-task/options/full-pcpus-and-numa-add-up", "cpu-task/options/align-by-socket-adds-up"),
    since="1.25",
    area="cpu-manager options",
)
def refuses_a_partial_core_beside_others(given: Given) -> Judgement:
    """full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be used together, each keeping its
    promise.
    """
    applies(OTHERS & given.options, "distribute-cpus-across-numa and align-by-socket are off")
    partial(given)
    return refuses_a_partial_core(given)


@judges("cpu-manager/full-pcpus-only/are-additive", on=Choice)
def gives_whole_cores_beside_others(choice: Choice) -> Judgement:
    """Beside them whole cores are given too."""
    applies(OTHERS & choice.options, "distribute-cpus-across-numa and align-by-socket are off")
    applies(WHOLE_CORES in choice.options, "full-pcpus-only is off")
    must_be_whole(choice)
    applies(choice.available == choice.whole_core_cpus, "parts of cores are free")
    return gives_whole_cores(choice)
