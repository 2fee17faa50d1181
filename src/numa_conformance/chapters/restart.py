"""The node agent ends, by a restart or a crash, and comes up with state files: its own, damaged ones, or old ones.

What becomes of a damaged file no page says: the node may stay down, or come up without it. What it must not do is give
something twice.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from ..asking.generators import workloads
from ..asking.generators.option_probes import probe_of
from ..asking.generators.scenario import LIVES, Scenario, Script
from ..asking.generators.workloads import guaranteed, static
from ..cpuset import format_bits
from ..judging.chapter import Chapter, Judgement, Violation, applies, recommended_by, rests_on, violated
from ..judging.node_subjects import Crash, Recovery, RefusedStart, Restart, readmitted_containers
from ..judging.rest import CPUS
from ..judging.shared_views import FoundFile
from ..judging.sighting import Sighting
from ..judging.world import World
from ..machine import Machine, load_machine
from ..sources.options import STATIC_OPTIONS
from .conditions import plain, under_static
from .outcomes import changed

chapter = Chapter("cpu-manager/static", "node/restart", since="1.10", area="cpu-manager lifecycle")


@chapter.requires("node/restart/admits-again-what-was-there")
@rests_on(
    "topology-source/admission/again-after-a-restart",
    beyond="Only the source says that pods are admitted again after a restart of the kubelet.",
)
def admits_again_what_was_there(restart: Restart) -> Iterator[Violation]:
    """A node agent that is restarted on its own state files comes up, and admits the pods again that it had."""
    plain(restart)
    under_static(restart)
    if restart.after is None:
        yield Violation("the node does not come up again after a restart", restart.refusal, "it comes up")
        return
    for uid, why in restart.refused.items():
        yield Violation(f"pod {uid} runs, and is refused after a restart", why, "it is admitted again")
    for uid in restart.before.pods:
        if uid not in restart.refused and uid not in restart.held:
            yield Violation(f"pod {uid} is forgotten after a restart", "nothing", "it is admitted again")


@chapter.requires("node/restart/refuses-what-a-start-refuses")
@rests_on(
    "cpu-task/static/needs-a-reservation",
    "cpu-task/options/incompatible-options-fail-the-start",
    "memory/constraints/error-otherwise",
    beyond="that a restart of the node agent is a start",
)
def refuses_what_a_start_refuses(restart: RefusedStart) -> Judgement:
    """The node does not come up again with a configuration with which it does not come up at first."""
    why = "the node comes up again with a configuration with which it did not come up at first"
    return violated(not restart.up, why, got="it comes up", allowed=f"it does not: {restart.refusal}")


@chapter.requires("node/restart/comes-up-after-a-crash", "node/writes")
@recommended_by(
    "topology-source/admission/again-after-a-restart",
    beyond="that it comes up whenever it ended: the source says what happens to pods when it does",
)
def comes_up_after_a_crash(crash: Crash) -> Judgement:
    """A node agent that ends between two writes of its state files comes up with what it had written."""
    why = "the node does not come up with the state files it had written until then"
    return violated(crash.after is not None, why, got=crash.refusal, allowed="it comes up")


@chapter.requires("node/restart/a-crash-leaves-no-cpu-in-two-places", "node/writes")
@rests_on("nrm/cpus/exclusive-against-other-pods", "nrm/static/cpus-leave-the-pool")
def no_cpu_in_two_places(crash: Crash) -> Judgement:
    """After the node agent ended between two writes exclusive CPUs belong to one pod, and are not shared."""
    return _in_two_places(came_up_static(crash), crash.held.keys(), "after a crash")


def came_up_static(subject: Crash | Recovery) -> World:
    """Return the node as it came up."""
    world = applies(subject.after, "the node does not come up")
    under_static(world)
    return world


def _in_two_places(world: World, there: Collection[str], when: str) -> Iterator[Violation]:
    """Yield the exclusive CPUs of the pods that are there which others have too."""
    taken = 0
    for uid, pod in world.pods.items():
        if uid not in there:
            continue
        for where, cpus in (("another pod", pod.exclusive & taken), ("the shared pool", pod.exclusive & world.pool)):
            if cpus:
                why = f"{when} CPUs {format_bits(cpus)} belong to pod {uid} and to {where}"
                yield Violation(why, marks={"both": cpus})
        taken |= pod.exclusive


@chapter.requires("node/restart/a-crash-moves-no-running-container", "node/writes")
@recommended_by("topology-source/cpu-hints/held-cpus-again", "topology-source/admission/again-after-a-restart")
def no_running_container_moves(crash: Crash) -> Iterator[Violation]:
    """After the node agent ended between two writes containers that run have the CPUs they had."""
    came_up_static(crash)
    running = {uid: pod for uid, pod in crash.before.pods.items() if pod.ran and pod.exclusive}
    for uid in applies(running, "no pod with CPUs of its own runs"):
        if uid not in crash.held:
            why = f"pod {uid} runs, and is not admitted again after a crash"
            yield Violation(why, crash.refused.get(uid, "nothing"))
    yield from changed(CPUS, readmitted_containers(running, crash.held), "a crash")


@chapter.requires("node/restart/damaged-files-give-nothing-twice", "cpu-manager/state-file")
@rests_on("nrm/cpus/exclusive-against-other-pods", "nrm/static/cpus-leave-the-pool")
def nothing_is_given_twice(recovery: Recovery) -> Iterator[Violation]:
    """With state files that are damaged or old a node stays down, or gives no CPU and no device to two pods."""
    world = applies(recovery.after, "the node does not come up")
    applies(recovery.held, "no pod is there again")
    if world.settings.static:
        yield from _in_two_places(world, recovery.held.keys(), "after a start with other state files")
    owners: dict[tuple[str, str], str] = {}
    for uid, containers in recovery.held.items():
        for held in containers.values():
            for device in sorted(held.each_device):
                owner = owners.setdefault(device, uid)
                if owner != uid:
                    yield Violation(f"after a start with other state files {device[1]} belongs to {owner} and {uid}")


@chapter.requires("node/restart/damaged-files-name-no-cpus-that-are-not-there", "cpu-manager/state-file")
@rests_on("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/exclusive-are-all-but-reserved")
def no_unknown_cpus(recovery: Recovery) -> Judgement:
    """With state files that are damaged or old a node stays down, or gives CPUs that the machine has."""
    world = came_up_static(recovery)
    cpus = world.pool | world.exclusive
    unknown = cpus & ~world.online
    why = f"CPUs {format_bits(unknown)} are given, which the machine does not have"
    return violated(not unknown, why, got=format_bits(cpus), allowed=f"some of {format_bits(world.online)}")


def can_be_read(sighting: Sighting, name: str) -> tuple[Violation, ...]:
    """Judge that a node could start with the state file that a node at work has."""
    file = applies(sighting.files.get(name), f"the file {name} does not exist")
    why = f"a kubelet that starts cannot use {name}"
    return violated(file.damage is None, why, got=file.damage, allowed="a sound file")


def is_of_the_same(file: FoundFile, kind: str) -> Judgement:
    """Judge that a node comes up with no state file of another policy, or of other CPUs."""
    applies(file.of == kind, f"it is not about the {kind} of a file")
    return violated(
        not file.up or file.written == file.wanted,
        f"the node comes up with {file.file} of another {kind}",
        got=file.written,
        allowed=f"{file.wanted}, or the node does not come up until the file is deleted",
        about=file.about,
    )


def reconfigured(claimed: frozenset[str], *_: object) -> Iterator[Scenario]:
    """Nodes are restarted with another reservation, alignment or option: it holds for the pods that come then."""
    if not claimed >= {"cpu-manager/static", "node/restart"}:
        return
    small, quad, caches = "t1-one-socket-smt2", "t3-two-numa-per-socket", "t4-four-uncores"
    less, more, another = (static(reserved=cpus) for cpus in ("0", "0-3", "3"))
    turns: list[Turning] = [
        (more, less, [guaranteed("a", 7)]),
        (less, more, [guaranteed("a", 5), guaranteed("b", 4)]),
        (less, another, [guaranteed("a", 7)]),
    ]
    yield _restarted("another reservation", load_machine(small), turns)
    if "topology-manager/single-numa-node" in claimed:
        large = guaranteed("one", 9)
        both = workloads.pod("two", [workloads.container(f"c{n}", cpu="6", memory="64Mi") for n in range(2)])
        free, aligned = static(topology="none"), static(topology="single-numa-node")
        turns = [(free, aligned, [large]), (aligned, free, [large]), (aligned, None, [large])]
        if "topology-manager/scope/pod" in claimed:
            whole = static(topology="single-numa-node", scope="pod")
            turns += [(aligned, whole, [both]), (whole, aligned, [both])]
        yield _restarted("another alignment", load_machine(quad), turns)
    for option in STATIC_OPTIONS:
        probes = ((machine, probe_of(option, machine)) for machine in map(load_machine, (small, quad, caches)))
        able = ((m, probe) for m, probe in probes if probe and claimed >= {f"cpu-manager/{option}"} | probe.needs)
        for machine, probe in islice(able, 1):
            off, named = probe.kubelet, {"cpuManagerPolicyOptions": {option: "true"}}
            on = {**off, **named, "featureGates": {"CPUManagerPolicyAlphaOptions": True}}
            turns = [(off, on, [probe.pod]), (on, None, [probe.pod]), (on, off, [probe.pod])]
            yield _restarted(option, machine, turns)


LIVES.append(reconfigured)
Turning = tuple[Mapping[str, Any], Mapping[str, Any] | None, Sequence[Mapping[str, Any]]]
"""A configuration, the one after the restart (None: the same), and the pods that come once earlier ones are gone."""


def _restarted(to: str, machine: Machine, turns: Sequence[Turning]) -> Scenario:
    return Scenario("example", f"node, restarted with {to}", machine, partial(_turning, turns))


def _turning(turns: Sequence[Turning]) -> Script:
    for before, after, pods in turns:
        yield "node.start", {"kubelet": before}
        for uid in ("early", "soon"):
            yield "node.admit", {"pod": guaranteed(uid, 1)}
        restarted = yield "node.restart", {} if after is None else {"kubelet": after}
        for there in restarted.get("pods", ()):
            if there["result"] == "admitted":
                yield "node.remove", {"uid": there["uid"]}
        for wanted in pods if restarted.get("result") == "restarted" else ():
            yield "node.admit", {"pod": wanted}
