"""Containers and what they hold, whoever tells it: an allocation, an admission, a node's state, a node that is watched.

The sentences are on the page Node Resource Managers, section Static policy, unless a requirement says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations

from ...cpuset import format_bits
from ..history.sightings import Runs
from ..history.values import CpuBits, Held
from ..judge.chapter import Chapter, Judgement, Violation, applies, violated
from ..judge.choice import Choice
from ..judge.files import CPU_FILE, DEVICE_FILE, MEMORY_FILE
from ..judge.given import PERIOD, Given, Neighbours, OnNode, Together
from ..judge.pods import BEST_EFFORT, BURSTABLE, GUARANTEED
from ..judge.seen import blocks_told
from .conditions import under
from .wording import devices_told

chapter = Chapter(since="1.8")

FINEST = 1_000
"""The least quota that CFS knows, in microseconds; a limit is enforced as exactly as that."""


def of_class(given: Given, qos: str) -> None:
    """Return the guard that a container's pod is of a class."""
    applies(given.qos == qos, f"the pod is not {qos}")


def shared(subject: Given) -> None:
    applies(subject.settings.static, "the CPU Manager's policy is none")
    applies(subject.pool is not None, "the shared pool is not told")
    applies(subject.exclusive == 0, "the container asks for CPUs of its own, or that is not known")
    applies(subject.held is not None or subject.alone, "the pod was refused")
    applies(not subject.ended, "an init container may have ended")


@chapter.requires(
    "cpu-manager/static/fractional-guaranteed-is-shared",
    "cpu-manager/static",
    on=Given,
    rests_on=("nrm/static/fractional-is-shared", "nrm/static/example-5-placement"),
)
def fractional_is_shared(given: Given) -> Judgement:
    """A container of a Guaranteed pod with a fractional CPU request runs in the shared pool."""
    of_class(given, GUARANTEED)
    shared(given)
    return _has_no_cpus(given, "limit")


@chapter.requires(
    "cpu-manager/static/burstable-is-shared",
    "cpu-manager/static",
    on=Given,
    rests_on=(
        "nrm/static/burstable-is-shared",
        "nrm/static/example-2-placement",
        "nrm/static/example-3-placement",
        "cpu-1.8/static/example-placements",
    ),
)
def burstable_is_shared(given: Given) -> Judgement:
    """Containers of Burstable pods run in the shared pool, whatever they request."""
    of_class(given, BURSTABLE)
    shared(given)
    return _has_no_cpus(given, "qos")


@chapter.requires(
    "cpu-manager/static/best-effort-is-shared",
    "cpu-manager/static",
    on=Given,
    rests_on=(
        "nrm/static/best-effort-is-shared",
        "nrm/static/example-1-placement",
        "cpu-1.8/static/example-placements",
    ),
)
def best_effort_is_shared(given: Given) -> Judgement:
    """Containers of BestEffort pods run in the shared pool."""
    of_class(given, BEST_EFFORT)
    shared(given)
    return _has_no_cpus(given, "qos")


@chapter.requires(
    "cpu-manager/none/gives-no-exclusive-cpus",
    "cpu-manager/none",
    on=Given,
    rests_on=("nrm/cpus/none-gives-no-affinity",),
)
def none_gives_none(given: Given) -> Judgement:
    """Under policy none no container has CPUs of its own."""
    applies(not given.settings.static, "the CPU Manager's policy is static")
    applies(given.held is not None or given.alone, "the pod was refused")
    return _has_no_cpus(given, "config:cpuManagerPolicy")


def _has_no_cpus(given: Given, fact: str) -> Judgement:
    return violated(
        given.held is not None and not given.cpus,
        f"container {given.key}{f' of a {given.qos} pod' if given.qos else ''} has CPUs of its own, or is refused",
        got=given.in_words,
        allowed="the shared pool",
        about=given.about("cpu", fact),
        exclusive=given.cpus,
    )


def served(subject: Given | Choice) -> None:
    applies(
        subject.given is not None if isinstance(subject, Choice) else subject.held is not None,
        "the request was refused",
    )


def _asks_for_a_number(subject: Given | Choice) -> bool:
    if isinstance(subject, Choice):
        return True
    return subject.settings.static and subject.pool is not None and bool(subject.exclusive) and not subject.ended


@chapter.requires(
    "cpu-manager/static/integral-guaranteed-is-exclusive",
    "cpu-manager/static",
    on=(Given, Choice),
    rests_on=(
        "nrm/cpus/static-gives-exclusive-cpus",
        "nrm/static/as-many-as-the-limit",
        "nrm/static/example-4-placement",
        "cpu-1.8/static/example-placements",
        "nrm/full-pcpus-only/default-gives-threads",
        "cpu-1.8/static/as-many-as-the-limit",
    ),
)
def gives_the_number(subject: Given | Choice) -> Judgement:
    """A container of a Guaranteed pod with an integral CPU request has exactly that many CPUs of its own."""
    served(subject)
    applies(
        _asks_for_a_number(subject),
        "the container shares its CPUs, or nothing tells how many it asks for, or it may have ended",
    )
    if isinstance(subject, Choice):
        cpus, count, who = subject.given or 0, subject.count, "the request"
        about: tuple[str, ...] = ()
    else:
        cpus, count, who = subject.cpus, subject.exclusive or 0, f"container {subject.key}"
        about = subject.about("cpu", "limit")
    return violated(
        cpus.bit_count() == count,
        f"{who} asks for {count} CPUs and is given {cpus.bit_count()}",
        got=format_bits(cpus) or "none",
        allowed=f"{count} CPUs of its own",
        about=about,
    )


@chapter.requires(
    "cpu-manager/static/keeps-cpus-when-admitted-again",
    "cpu-manager/static",
    on=Given,
    rests_on=("topology-source/cpu-hints/held-cpus-again", "nrm/static/cpus-are-the-containers-own"),
)
def keeps_what_it_has(given: Given) -> Judgement:
    """A pod that is on the node and admitted again keeps its CPUs."""
    applies(
        given.had is not None and given.had.bit_count() == given.exclusive,
        "the container had no CPUs of that number before",
    )
    applies(given.settings.static, "the CPU Manager's policy is none")
    applies(given.exclusive, "the container asks for no CPUs of its own")
    applies(given.held is not None or given.alone, "the pod was refused")
    had = given.had or 0
    return violated(
        given.cpus == had,
        f"container {given.key} has its CPUs already and is given others",
        got=given.in_words,
        allowed=format_bits(had),
        held=had,
    )


@chapter.requires(
    "cpu-manager/static/apps-have-cpus-of-their-own",
    "cpu-manager/static",
    on=Neighbours,
    rests_on=("nrm/static/cpus-are-the-containers-own", "nrm/static/cpus-leave-the-pool"),
)
def apps_have_cpus_of_their_own(neighbours: Neighbours) -> Iterator[Violation]:
    """The exclusive CPUs of an app container are its own: another app container of its pod does not have them
    too.

    The CPUs taken out of the pool are put in the cpuset of the container: two that run at once do not share them.
    """
    for first, second in combinations(neighbours.containers, 2):
        yield from violated(
            not first.cpus & second.cpus,
            f"containers {first.key} and {second.name} of the same pod run at once, with CPUs in common",
            got=format_bits(first.cpus & second.cpus),
            allowed="CPUs of its own for each",
            about=(*first.about("cpu"), *second.about("cpu")),
            twice=first.cpus & second.cpus,
        )


@chapter.requires(
    "topology-manager/single-numa-node/gives-one-node",
    "topology-manager/single-numa-node",
    "cpu-manager/static",
    on=Together,
    rests_on=(
        "topology/single-numa-node/one-node-or-refused",
        "topology-source/policies/single-numa-node",
        "topology/pod/one-node-is-admitted",
    ),
    since="1.18",
)
def gives_one_node(together: Together) -> Judgement:
    """Under single-numa-node an admitted container has all its exclusive CPUs on one NUMA node."""
    under(together, "single-numa-node")
    common = -1
    for nodes in together.places:
        common &= nodes
    return violated(
        common,
        f"what {together.who} holds is not together on one NUMA node",
        got=together.in_words,
        allowed="one NUMA node",
        about=together.about,
    )


def quota_is_told(given: OnNode) -> None:
    applies(
        given.held is not None and given.held.quota is not None,
        "the container's quota is not told, or hangs on more than its CPUs",
    )


def limited(subject: OnNode) -> None:
    quota_is_told(subject)
    applies(subject.settings.quota, "CPU limits are not enforced by quota (cpuCFSQuota)")
    applies(
        not subject.cpus and (not (subject.settings.static and subject.exclusive)),
        "the container has CPUs of its own, or is owed some",
    )
    applies(subject.limit, "the container has no CPU limit")


@chapter.requires(
    "cpu-manager/none/limits-are-enforced-by-quota",
    "cpu-manager/none",
    "cpu-manager/cfs-quota",
    on=OnNode,
    rests_on=("nrm/cpus/none-bounds-by-quota", "cpu-1.8/none/quota", "nrm/cpus/quota-by-default"),
    beyond="that the quota is the limit to within 1,000 microseconds, the least that CFS knows",
)
def none_enforces_limits(given: OnNode) -> Judgement:
    """Under policy none CFS quota enforces the CPU limits of containers of Guaranteed and Burstable pods."""
    applies(not given.settings.static, "the CPU Manager's policy is static")
    limited(given)
    return _bounded(given)


@chapter.requires(
    "cpu-manager/static/shared-limits-are-enforced-by-quota",
    "cpu-manager/static",
    "cpu-manager/cfs-quota",
    on=OnNode,
    rests_on=("nrm/cpus/quota-by-default",),
    beyond="that the quota is the limit to within 1,000 microseconds, the least that CFS knows",
)
def static_enforces_shared_limits(given: OnNode) -> Judgement:
    """Under policy static CFS quota enforces the CPU limits of containers that have no CPUs of their own.

    By default limits are enforced by quota: so they are where a container has no CPUs of its own.
    """
    applies(given.settings.static, "the CPU Manager's policy is none")
    limited(given)
    return _bounded(given)


def _bounded(given: OnNode) -> Judgement:
    quota, wanted = _quota(given), (given.limit or Fraction(0)) * PERIOD
    return violated(
        quota > 0 and abs(quota - wanted) <= FINEST,
        f"the CPU limit {float(given.limit or 0):g} of container {given.key} is not enforced by CFS quota",
        got=_shown(quota),
        allowed=_shown(round(wanted)),
    )


@chapter.requires(
    "cpu-manager/static/exclusive-cpus-have-no-quota",
    "cpu-manager/static",
    "cpu-manager/cfs-quota",
    on=OnNode,
    rests_on=("nrm/static/no-quota-on-exclusive-cpus", "cpu-1.8/static/quota-is-not-needed"),
)
def exclusive_cpus_have_no_quota(given: OnNode) -> Iterator[Violation]:
    """CFS quota does not bound containers with exclusive CPUs.

    Quota does not bound containers with CPUs of their own, nor the pods that they are in.
    """
    quota_is_told(given)
    applies(given.cpus, "the container has no CPUs of its own")
    yield from violated(
        (given.pod_quota or 0) <= 0,
        f"pod {given.uid}, whose container {given.name} has CPUs of its own, is bounded by CFS quota as a whole",
        got=_shown(given.pod_quota or 0),
        allowed=_shown(-1),
        about=(f"pod-limit:{given.uid}", *given.about("cpu")),
    )
    yield from violated(
        _quota(given) <= 0,
        f"container {given.key} has CPUs of its own and is bounded by CFS quota",
        got=_shown(_quota(given)),
        allowed=_shown(-1),
        about=given.about("limit", "cpu"),
    )


def _quota(given: OnNode) -> int:
    return (given.held.quota if given.held else None) or 0


def _shown(quota: int) -> str:
    return "no quota" if quota <= 0 else f"{quota} µs of each {PERIOD}"


@chapter.requires(
    "cpu-manager/reconcile/running-containers-get-their-cpusets",
    "cpu-manager/static",
    "cpu-manager/reconcile",
    on=OnNode,
    rests_on=("cpu-task/configuration/reconciles-through-the-cri", "cpu-1.8/configuration/reconciles-through-the-cri"),
    area="cpu-manager lifecycle",
)
def runs_on_what_is_assigned(given: OnNode) -> Iterator[Violation]:
    """After a pass of the reconcile loop every running container runs on what is assigned to it: its exclusive
    CPUs, or the shared pool as it is now.
    """
    applies(given.runs is not None, "it is not seen what the container runs on")
    applies(given.settings.static, "the CPU Manager's policy is none")
    applies(given.pool is not None, "the shared pool is not told")
    applies(
        given.cpus or (given.settled and given.pool),
        "the container is shared, and the pool may have changed a moment ago",
    )
    runs, wanted = given.runs or Runs(None, None, None, ()), given.cpus or given.pool or 0
    assigned = f"{'its own' if given.cpus else 'the shared pool'} {format_bits(wanted)}"
    facts = given.about("runs", "cpu" if given.cpus else "pool")
    if runs.written is not None and runs.written != wanted:
        beyond = format_bits(runs.written) or "nothing: it may run on all of its parent's"
        why = f"the cgroup of container {given.key} has another cpuset than is assigned"
        yield Violation(why, beyond, assigned, about=facts)
    elif runs.effective is not None and runs.effective != wanted & given.machine.online_bits:
        why = f"container {given.key} runs on other CPUs than its cgroup has: a cgroup above it narrows them"
        yield Violation(why, format_bits(runs.effective), assigned, about=(*given.about("effective"), *facts))
    else:
        for threads in runs.threads:
            yield from violated(
                not threads.cpus & ~wanted,
                f"{threads} of container {given.key} may run on CPUs that are not assigned to it",
                got=format_bits(threads.cpus),
                allowed=assigned,
                about=(f"thread:{threads.first}", *facts),
            )


@chapter.requires(
    "protocol/state-agrees-with-answers",
    "cpu-manager/static",
    on=OnNode,
    rests_on=("nrm/static/cpus-are-the-containers-own",),
    beyond="that the node tells it alike whenever it is asked",
)
def is_told_the_same(given: OnNode) -> Iterator[Violation]:
    """What a node says it holds is what it answered when it gave it."""
    applies(given.other is not None, "no other source tells what the container holds")
    held, other = given.held or Held(CpuBits(0)), given.other or Held(CpuBits(0))
    if given.held is None:
        yield Violation(f"the pod of container {given.key} is told of in one place and not in another")
    if given.settings.static and given.pool is not None:
        yield from _same(given, "cpu", f"CPUs of container {given.key} than {CPU_FILE}", held, other, _cpus)
    if held.memory is not None:
        yield from _same(given, "memory", f"memory of container {given.key} than {MEMORY_FILE}", held, other, _memory)
    if held.devices is not None and other.devices is not None:
        yield from _same(
            given, "device", f"devices of container {given.key} than {DEVICE_FILE}", held, other, devices_told
        )


def _same(
    given: OnNode, fact: str, what: str, held: Held, other: Held, write: Callable[[Held], str]
) -> Iterator[Violation]:
    return violated(
        write(held) == write(other),
        f"{given.teller} tells of other {what}",
        got=write(other),
        allowed=write(held),
        about=given.about("listed", fact),
    )


def _cpus(held: Held) -> str:
    return format_bits(held.cpus) or "none"


def _memory(held: Held) -> str:
    return str(dict(sorted(blocks_told(held.memory).items())))
