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
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.choice import Choice
from ..judge.files import CPU_FILE, DEVICE_FILE, MEMORY_FILE
from ..judge.given import PERIOD, Given, Neighbours, OnNode, Together
from ..judge.may_run import MayRun
from ..judge.pods import BEST_EFFORT, BURSTABLE, GUARANTEED
from ..judge.seen import blocks_told
from .guards import none, static, under
from .wording import devices_told

FINEST = 1_000
"""The least quota that CFS knows, in microseconds; a limit is enforced as exactly as that."""


pool_is_told = Guard[Given]("the shared pool is not told", lambda given: given.pool is not None)
not_refused = Guard[Given]("the pod was refused", lambda given: given.held is not None or given.alone)
still_there = Guard[Given]("an init container may have ended", lambda given: not given.ended)
wants_none = Guard[Given](
    "the container asks for CPUs of its own, or that is not known", lambda given: given.exclusive == 0
)
wants_its_own = Guard[Given]("the container asks for no CPUs of its own", lambda given: given.exclusive)
has_its_own = Guard[Given]("the container has no CPUs of its own", lambda given: given.cpus)


def of_class(qos: str) -> Guard[Given]:
    """Return the guard that a container's pod is of a class."""
    return Guard(f"the pod is not {qos}", lambda given: given.qos == qos)


SHARED = (static, pool_is_told, wants_none, not_refused, still_there)


@checker("cpu-manager/static/fractional-guaranteed-is-shared", Given, when=(of_class(GUARANTEED), *SHARED))
def fractional_is_shared(given: Given) -> Judgement:
    """Containers of Guaranteed pods with fractional requests run in the shared pool."""
    return _has_no_cpus(given, "limit")


@checker("cpu-manager/static/burstable-is-shared", Given, when=(of_class(BURSTABLE), *SHARED))
def burstable_is_shared(given: Given) -> Judgement:
    """Containers of Burstable pods run in the shared pool."""
    return _has_no_cpus(given, "qos")


@checker("cpu-manager/static/best-effort-is-shared", Given, when=(of_class(BEST_EFFORT), *SHARED))
def best_effort_is_shared(given: Given) -> Judgement:
    """Containers of BestEffort pods run in the shared pool."""
    return _has_no_cpus(given, "qos")


@checker("cpu-manager/none/gives-no-exclusive-cpus", Given, when=(none, not_refused))
def none_gives_none(given: Given) -> Judgement:
    """Policy none gives nobody CPUs of their own."""
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


served = Guard[Given | Choice](
    "the request was refused",
    lambda subject: subject.given is not None if isinstance(subject, Choice) else subject.held is not None,
)


def _asks_for_a_number(subject: Given | Choice) -> bool:
    if isinstance(subject, Choice):
        return True
    return subject.settings.static and subject.pool is not None and bool(subject.exclusive) and not subject.ended


asks_for_a_number = Guard[Given | Choice](
    "the container shares its CPUs, or nothing tells how many it asks for, or it may have ended", _asks_for_a_number
)


@checker("cpu-manager/static/integral-guaranteed-is-exclusive", Given, Choice, when=(served, asks_for_a_number))
def gives_the_number(subject: Given | Choice) -> Judgement:
    """As many CPUs of its own as a container of a Guaranteed pod asks for, where that is an integral number."""
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


has_had_so_many = Guard[Given](
    "the container had no CPUs of that number before",
    lambda given: given.had is not None and given.had.bit_count() == given.exclusive,
)


@checker(
    "cpu-manager/static/keeps-cpus-when-admitted-again",
    Given,
    when=(has_had_so_many, static, wants_its_own, not_refused),
)
def keeps_what_it_has(given: Given) -> Judgement:
    """A container that has its CPUs already keeps them when its pod is admitted again."""
    had = given.had or 0
    return violated(
        given.cpus == had,
        f"container {given.key} has its CPUs already and is given others",
        got=given.in_words,
        allowed=format_bits(had),
        held=had,
    )


@checker("cpu-manager/static/apps-have-cpus-of-their-own", Neighbours)
def apps_have_cpus_of_their_own(neighbours: Neighbours) -> Iterator[Violation]:
    """The CPUs taken out of the pool are put in the cpuset of the container: two that run at once do not share them."""
    for first, second in combinations(neighbours.containers, 2):
        yield from violated(
            not first.cpus & second.cpus,
            f"containers {first.key} and {second.name} of the same pod run at once, with CPUs in common",
            got=format_bits(first.cpus & second.cpus),
            allowed="CPUs of its own for each",
            about=(*first.about("cpu"), *second.about("cpu")),
            twice=first.cpus & second.cpus,
        )


@checker("topology-manager/single-numa-node/gives-one-node", Together, when=(under("single-numa-node"),))
def gives_one_node(together: Together) -> Judgement:
    """Under single-numa-node what is aligned at once is together on one NUMA node."""
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


limits_are_enforced = Guard[OnNode](
    "CPU limits are not enforced by quota (cpuCFSQuota)", lambda given: given.settings.quota
)
quota_is_told = Guard[OnNode](
    "the container's quota is not told, or hangs on more than its CPUs",
    lambda given: given.held is not None and given.held.quota is not None,
)
has_a_limit = Guard[OnNode]("the container has no CPU limit", lambda given: given.limit)
shares = Guard[OnNode](
    "the container has CPUs of its own, or is owed some",
    lambda given: not given.cpus and not (given.settings.static and given.exclusive),
)


LIMITED = (quota_is_told, limits_are_enforced, shares, has_a_limit)


@checker("cpu-manager/none/limits-are-enforced-by-quota", OnNode, when=(none, *LIMITED))
def none_enforces_limits(given: OnNode) -> Judgement:
    """Under policy none quota enforces the limits of Guaranteed and Burstable pods."""
    return _bounded(given)


@checker("cpu-manager/static/shared-limits-are-enforced-by-quota", OnNode, when=(static, *LIMITED))
def static_enforces_shared_limits(given: OnNode) -> Judgement:
    """By default limits are enforced by quota: so they are where a container has no CPUs of its own."""
    return _bounded(given)


def _bounded(given: OnNode) -> Judgement:
    quota, wanted = _quota(given), (given.limit or Fraction(0)) * PERIOD
    return violated(
        quota > 0 and abs(quota - wanted) <= FINEST,
        f"the CPU limit {float(given.limit or 0):g} of container {given.key} is not enforced by CFS quota",
        got=_shown(quota),
        allowed=_shown(round(wanted)),
    )


@checker("cpu-manager/static/exclusive-cpus-have-no-quota", OnNode, when=(quota_is_told, has_its_own))
def exclusive_cpus_have_no_quota(given: OnNode) -> Iterator[Violation]:
    """Quota does not bound containers with CPUs of their own, nor the pods that they are in."""
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


is_seen_to_run = Guard[OnNode | MayRun](
    "it is not seen what the container runs on", lambda given: given.runs is not None
)
has_settled = Guard[OnNode](
    "the container is shared, and the pool may have changed a moment ago",
    lambda given: given.cpus or (given.settled and given.pool),
)


@checker(
    "cpu-manager/reconcile/running-containers-get-their-cpusets",
    OnNode,
    when=(is_seen_to_run, static, pool_is_told, has_settled),
)
def runs_on_what_is_assigned(given: OnNode) -> Iterator[Violation]:
    """Every running container runs on its exclusive CPUs, or on the shared pool as it is, once that has settled."""
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


told_twice = Guard[OnNode]("no other source tells what the container holds", lambda given: given.other is not None)


@checker("protocol/state-agrees-with-answers", OnNode, when=(told_twice,))
def is_told_the_same(given: OnNode) -> Iterator[Violation]:
    """What a node says that a container holds is what it answered when it gave it; what its state files say too."""
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
