"""Pods that get their CPUs as a whole. Page: Pod-level resource managers, its sections on the scopes."""

import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice, product
from typing import Any

from ...asking.generators.cells import HIGHEST_NODE
from ...asking.generators.scenario import LIVES, Scenario, Script, admit, or_the_catalogue, remove
from ...asking.generators.workloads import container, guaranteed, pod, static
from ...cpuset import format_bits, union
from ...judging.chapter import Chapter, Judgement, Violation, applies, configured, judges, rests_on, violated
from ...judging.node_subjects import Admission, Restart
from ...judging.pods import GUARANTEED, PodSpec, exclusive_cpus, qos_class
from ...machine import Machine
from ..conditions import (
    admitted,
    fitting,
    leaving_a_shared_cpu,
    new_pod,
    plain,
    under,
    under_static,
    with_cpus_on_several_nodes,
)
from ..outcomes import NOTHING

FEATURE = "cpu-manager/pod-level-resources"
chapter = Chapter(FEATURE, since="1.37")
ALIGNED = ("best-effort", "restricted", "single-numa-node")
"""The Topology Manager's policies under which its scope takes effect."""
MOST_PODS, MACHINES = 8, 5


def _parts(wanted: PodSpec) -> dict[str, int]:
    """Return the CPUs of the slice of each container that runs as long as the pod; 0: it has none, and shares."""
    lasting = (each for each in wanted.containers if each.kind != "init")
    return {each.name: exclusive_cpus(qos_class([(each.requests, each.limits)]), each.requests) for each in lasting}


def _sharing(wanted: PodSpec) -> list[str]:
    """Return the containers that have no slice, and run as long as the pod."""
    return [name for name, count in _parts(wanted).items() if not count]


def _cpus_of_sharing(admission: Admission) -> Iterator[tuple[str, int]]:
    """Yield the containers of an admitted pod that have no slice, and their CPUs as bits."""
    admitted(admission)
    return ((name, admission.held.get(name, NOTHING).cpus) for name in _sharing(admission.pod))


def _budget(admission: Admission, scope: str) -> int:
    """Return the CPUs that a Guaranteed pod asks for as a whole, in a scope of the Topology Manager."""
    under_static(admission)
    configured(admission.settings.pod_level, "the gate PodLevelResourceManagers is off")
    configured(admission.settings.scope == scope, f"the scope is not {scope}")
    under(admission, *ALIGNED)
    new_pod(admission)
    cpus = admission.pod.level.cpu
    applies(admission.pod.qos_as_a_whole == GUARANTEED, "the pod is not Guaranteed by its resources as a whole")
    applies(cpus >= 1 and cpus.denominator == 1, "the pod asks for no whole CPUs")
    return int(cpus)


def _taken(admission: Admission) -> int:
    """Return the CPUs that the pool lost to the pod, as bits."""
    admitted(admission)
    applies(not admission.before.left, "init containers have ended, whose CPUs may come back")
    return admission.before.pool & ~admission.after.pool


@chapter.requires("cpu-manager/pod-level/takes-all-cpus-of-the-pod")
@rests_on("pod-level-managers/scope-pod/one-bubble", "pod-level-managers/scope-pod/wasted-is-reserved")
def takes_all_cpus_of_the_pod(admission: Admission) -> Iterator[Violation]:
    """In scope pod the pod takes as many CPUs as it asks for as a whole, and its containers have no others."""
    budget, taken = _budget(admission, "pod"), _taken(admission)
    why = f"the shared pool loses {taken.bit_count()} CPUs to pod {admission.pod.uid}, which asks for {budget}"
    yield from violated(taken.bit_count() == budget, why, got=format_bits(taken), allowed=f"{budget} CPUs")
    beyond = union(held.cpus for held in admission.held.values()) & ~taken
    why = f"containers of pod {admission.pod.uid} have CPUs that the shared pool did not lose"
    yield from violated(not beyond, why, got=format_bits(beyond), allowed=f"some of {format_bits(taken)}")


@judges("cpu-manager/pod-level/takes-all-cpus-of-the-pod")
def keeps_all_cpus_over_a_restart(restart: Restart) -> Judgement:
    """A restart gives the shared pool no CPU of a pod, also none that its containers do not use."""
    configured(restart.settings.pod_level and restart.settings.scope == "pod", "no pod is given CPUs as a whole")
    plain(restart)
    under_static(restart)
    before, after = restart.before, applies(restart.after, "the node does not come up again")
    applies(any(each.spec.whole for each in before.pods.values()), "no pod has resources as a whole")
    owed = sum(each.spec.level.cpu if each.spec.whole else each.exclusive.bit_count() for each in before.pods.values())
    taken = before.may_be_shared_or_given & ~before.pool
    applies(not restart.refused and taken.bit_count() == owed, "others have CPUs that the shared pool lacks")
    came = after.pool & taken
    why = "CPUs of pods come into the shared pool with a restart"
    return violated(not came, why, got=format_bits(after.pool), allowed=format_bits(before.pool), came=came)


@chapter.requires("cpu-manager/pod-level/aligns-the-pod-once", "topology-manager/single-numa-node")
@rests_on("pod-level-managers/scope-pod/one-bubble")
def aligns_the_pod_once(admission: Admission) -> Judgement:
    """In scope pod under single-numa-node all CPUs of the pod are of one NUMA node."""
    under(admission, "single-numa-node")
    _budget(admission, "pod")
    taken, nodes = _taken(admission), with_cpus_on_several_nodes(admission)
    why = f"the CPUs of pod {admission.pod.uid} are of several NUMA nodes"
    return violated(any(not taken & ~cpus for cpus in nodes), why, got=format_bits(taken), taken=taken)


@chapter.requires("cpu-manager/pod-level/gives-exclusive-slices")
@rests_on("pod-level-managers/scope-pod/exclusive-slices", "pod-level-managers/scope-container/exclusive")
def gives_exclusive_slices(admission: Admission) -> Iterator[Violation]:
    """A container with equal requests and limits and whole CPUs has as many, and nobody else of its pod has them."""
    _budget(admission, admission.settings.scope)
    admitted(admission)
    parts = _parts(admission.pod)
    for name, count in parts.items():
        if not count:
            continue
        cpus = admission.held.get(name, NOTHING).cpus
        why = f"container {name} asks for {count} CPUs of its own"
        yield from violated(cpus.bit_count() == count, why, got=format_bits(cpus) or "none", allowed=f"{count} CPUs")
        others = union(held.cpus for other, held in admission.held.items() if other in parts.keys() - {name})
        why = f"CPUs {format_bits(cpus & others)} of container {name} are another's of its pod too"
        yield from violated(not cpus & others, why, got=format_bits(cpus), both=cpus & others)


@chapter.requires("cpu-manager/pod-level/others-share-what-is-left")
@rests_on("pod-level-managers/scope-pod/shared-pool")
def others_share_what_is_left(admission: Admission) -> Iterator[Violation]:
    """In scope pod containers without a slice run on CPUs of their pod that no slice has."""
    _budget(admission, "pod")
    for name, cpus in _cpus_of_sharing(admission):
        why = f"container {name} has no CPUs of its pod"
        yield from violated(cpus, why, got="the shared pool of the node", allowed="CPUs of the pod that no slice has")


@chapter.requires("cpu-manager/pod-level/others-run-in-the-pool-of-the-node")
@rests_on("pod-level-managers/scope-container/others-share-the-node")
def others_run_in_the_pool_of_the_node(admission: Admission) -> Iterator[Violation]:
    """In scope container containers without a slice have no CPUs of their own."""
    _budget(admission, "container")
    for name, cpus in _cpus_of_sharing(admission):
        yield from violated(not cpus, f"container {name} has CPUs of its own", got=format_bits(cpus), allowed="none")


@chapter.requires("cpu-manager/pod-level/refuses-an-empty-pool")
@rests_on("pod-level-managers/scope-pod/empty-pool")
def refuses_an_empty_pool(admission: Admission) -> Judgement:
    """In scope pod a pod is refused whose slices leave no CPU to those of its containers that share."""
    budget, wanted = _budget(admission, "pod"), admission.pod
    sharing = applies(_sharing(wanted), "no container shares")
    applies(sum(_parts(wanted).values()) == budget, "slices leave CPUs")
    why = f"pod {wanted.uid} is admitted, and nothing is left to {', '.join(sharing)}"
    return violated(not admission.admitted, why, got="admitted", allowed="refused")


@chapter.requires("cpu-manager/pod-level/admits-what-fits")
@rests_on("pod-level-managers/scope-pod/one-bubble", "pod-level-managers/scope-pod/empty-pool")
def admits_what_fits(admission: Admission) -> Judgement:
    """In scope pod under best-effort a pod is admitted that finds its CPUs free, and whose slices leave some."""
    budget, wanted = _budget(admission, "pod"), admission.pod
    under(admission, "best-effort")
    fitting(admission)
    leaving_a_shared_cpu(admission)
    configured(not admission.settings.options, "an option may refuse it")
    applies(all(each.kind != "init" for each in wanted.containers), "the pod has init containers")
    applies(sum(_parts(wanted).values()) < budget or not _sharing(wanted), "slices leave no CPU")
    applies(budget < admission.before.free.bit_count(), "too few CPUs are free")
    why = f"pod {wanted.uid} is refused, which asks for {budget} CPUs"
    return violated(admission.admitted, why, got=admission.message, available=admission.before.free)


def wholes(claimed: frozenset[str], machines: Sequence[Machine] | None, seed: int) -> Iterator[Scenario]:
    """Pods that get their CPUs as a whole come and go, in each scope under each policy of the Topology Manager."""
    if FEATURE not in claimed:
        return
    known = or_the_catalogue(machines, 64)
    able = (each for each in known if len(each.cpus) >= 8 and each.numa_ids[-1] <= HIGHEST_NODE)
    for machine, scope, policy in product(islice(able, MACHINES), ("pod", "container"), ALIGNED):
        if {f"topology-manager/{policy}", f"topology-manager/scope/{scope}"} <= claimed:
            gates = {"PodLevelResources": True, "PodLevelResourceManagers": True}
            config = static(topology=policy, scope=scope, featureGates=gates)
            name, restarts = f"wholes {seed} {machine.name} {scope} {policy}", "node/restart" in claimed
            script = partial(_coming_and_going, config, name, restarts=restarts)
            yield Scenario("wholes", f"pods as a whole, {policy}, {scope}", machine, script, seed)


LIVES.append(wholes)


def _coming_and_going(config: dict[str, Any], name: str, *, restarts: bool) -> Script:
    lot = random.Random(name)
    if (yield "node.start", {"kubelet": config})["result"] != "started":
        return
    there: list[str] = []
    for number in range(MOST_PODS):
        wanted = _drawn(f"p{number}", lot) if lot.random() < 5 / 6 else guaranteed(f"p{number}", lot.randint(1, 2))
        uid = wanted["metadata"]["uid"]
        if (yield admit(wanted))["result"] == "admitted":
            there.append(uid)
            yield "node.run", {"uid": uid}
        if there and lot.random() < 1 / 3:
            yield remove(there.pop(lot.randrange(len(there))))
        if restarts and (number == MOST_PODS - 1 or lot.random() < 1 / 6):
            yield "node.restart", {}
    yield "node.state", {}
    for uid in there:
        yield remove(uid)


def _drawn(uid: str, lot: random.Random) -> dict[str, Any]:
    """Return a pod of so many CPUs as a whole, whose containers have all, some or none of them for themselves."""
    budget = lot.randint(1, 5)
    counts, left = [], budget
    while left and lot.random() < 3 / 5:
        counts.append(lot.randint(1, max(left - 1, 1)))
        left -= counts[-1]
    slices = [container(f"own-{number}", cpu=str(count), memory="64Mi") for number, count in enumerate(counts)]
    share = [container("silent"), container("half", cpu="500m", memory="64Mi"), container("low", requests={"cpu": "1"})]
    number, share = lot.randint(0, 1), share[: left + 1]
    early, late = slices[:number], slices[number:]
    fewest = 0 if late else 1  # without any, what the slices leave is nobody's
    others = lot.sample(share, min(lot.choice((fewest, fewest, 1, 2)), len(share)))
    if left and late and lot.random() < 1 / 2:  # what shares may start before a slice is given
        early, others = [*early, *(others or share)[:1]], others[1:]
    init = [{**each, "restartPolicy": "Always"} for each in early]
    if lot.random() < 1 / 4:
        init.insert(0, container("init", cpu=str(lot.randint(1, budget)), memory="64Mi"))
    wanted = pod(uid, [*late, *others], init)
    amounts = {"cpu": str(budget), "memory": "1Gi"}
    wanted["spec"]["resources"] = {"requests": amounts, "limits": amounts}
    return wanted
