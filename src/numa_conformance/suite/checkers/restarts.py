"""The node agent ends, by a restart or a crash, and comes up again: containers that run keep what they have.

That CPUs stay stands on the page Node Resource Managers, section Static policy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.node_subjects import Crash, Recovery, Restart, kept_by
from ..judge.world import Held, PodOnNode, World
from .guards import static

plain = Guard[Restart](
    "the node starts with another configuration, or other state files than its own", lambda restart: restart.plain
)
came_up = Guard[Restart | Crash | Recovery]("the node does not come up", lambda subject: subject.after is not None)
came_up_static = Guard[Crash | Recovery](
    "the node does not come up, or the CPU Manager's policy is none",
    lambda subject: subject.after is not None and subject.after.settings.static,
)


@checker("cpu-manager/state-file/assignments-survive-a-restart", Restart, when=(plain, static, came_up))
def cpus_survive_a_restart(restart: Restart) -> Iterator[Violation]:
    """After a restart on its own state files every container that is there again has the CPUs it had."""
    return _moved(restart.kept, "after a restart")


@checker("node/restart/admits-again-what-was-there", Restart, when=(plain, static))
def admits_again_what_was_there(restart: Restart) -> Iterator[Violation]:
    """After a restart on its own state files the node comes up with all its pods, whoever looks at these."""
    if restart.after is None:
        yield Violation("the node does not come up again after a restart", restart.refusal, "it comes up")
        return
    for uid, why in restart.refused.items():
        yield Violation(f"pod {uid} runs, and is refused after a restart", why, "it is admitted again")
    for uid in restart.before.pods:
        if uid not in restart.refused and uid not in restart.held:
            yield Violation(f"pod {uid} is forgotten after a restart", "nothing", "it is admitted again")


def _moved(kept: Iterable[tuple[str, Held | None, Held | None]], when: str) -> Iterator[Violation]:
    for who, had, has in kept:
        before, now = had.cpus if had else 0, has.cpus if has else 0
        if before != now:
            yield Violation(f"{who} has other CPUs {when}", format_bits(now), format_bits(before))


@checker("node/restart/comes-up-after-a-crash", Crash)
def comes_up_after_a_crash(crash: Crash) -> Judgement:
    """State files that the node has written itself, each of them whole, are no reason not to come up."""
    return violated(
        crash.after is not None,
        "the node does not come up with the state files it had written until then",
        got=crash.refusal,
        allowed="it comes up",
    )


@checker("node/restart/a-crash-leaves-no-cpu-in-two-places", Crash, when=(came_up_static,))
def no_cpu_in_two_places(crash: Crash) -> Judgement:
    """Exclusive CPUs belong to one pod and are not shared, whatever was written last."""
    return in_two_places(crash.after, crash.held.keys(), "after a crash")


def in_two_places(world: World | None, there: Collection[str], when: str) -> Iterator[Violation]:
    """Yield the exclusive CPUs of the pods that are there which others have too."""
    seen = 0
    if world is None:
        return
    for uid, pod in world.pods.items():
        if uid not in there:
            continue
        for where, cpus in (("another pod", pod.kept & seen), ("the shared pool", pod.kept & world.pool)):
            if cpus:
                why = f"{when} CPUs {format_bits(cpus)} belong to pod {uid} and to {where}"
                yield Violation(why, marks={"both": cpus})
        seen |= pod.kept


def _running(crash: Crash) -> dict[str, PodOnNode]:
    return {uid: pod for uid, pod in crash.before.pods.items() if pod.ran and pod.kept}


with_running_pods = Guard[Crash]("no pod with CPUs of its own runs", lambda crash: _running(crash))


@checker("node/restart/a-crash-moves-no-running-container", Crash, when=(came_up_static, with_running_pods))
def no_running_container_moves(crash: Crash) -> Iterator[Violation]:
    """Containers that run keep their CPUs: the old state says so, and the new one too."""
    running = _running(crash)
    for uid in running:
        if uid not in crash.held:
            why = f"pod {uid} runs, and is not admitted again after a crash"
            yield Violation(why, crash.refused.get(uid, "nothing"))
    yield from _moved(kept_by(running, crash.held), "after a crash")
