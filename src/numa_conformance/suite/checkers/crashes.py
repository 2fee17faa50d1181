"""The node agent ends between two writes of its state files, and comes up with what is there."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...cpuset import format_bits
from ..judge.checker import Judgement, Violation, checker, violated
from ..judge.node_subjects import Crash
from ..judge.world import World


@checker("node/restart/comes-up-after-a-crash", Crash)
def comes_up_after_a_crash(crash: Crash) -> Judgement:
    """State files that the node has written itself, each of them whole, are no reason not to come up."""
    return violated(
        crash.after is not None,
        "the node does not come up with the state files it had written until then",
        got=crash.refusal,
        allowed="it comes up",
    )


@checker("node/restart/a-crash-leaves-no-cpu-in-two-places", Crash)
def no_cpu_in_two_places(crash: Crash) -> Judgement:
    """Exclusive CPUs belong to one pod and are not shared, whatever was written last."""
    if crash.after is None or not crash.after.settings.static:
        return None
    return in_two_places(crash.after, crash.held.keys(), "after a crash")


def in_two_places(world: World, there: Collection[str], when: str) -> Iterator[Violation]:
    """Yield the exclusive CPUs of the pods that are there which others have too."""
    seen = 0
    for uid, pod in world.pods.items():
        if uid not in there:
            continue
        for where, cpus in (("another pod", pod.kept & seen), ("the shared pool", pod.kept & world.pool)):
            if cpus:
                why = f"{when} CPUs {format_bits(cpus)} belong to pod {uid} and to {where}"
                yield Violation(why, marks={"both": cpus})
        seen |= pod.kept


@checker("node/restart/a-crash-moves-no-running-container", Crash)
def no_running_container_moves(crash: Crash) -> Judgement:
    """Containers that run keep their CPUs: the old state says so, and the new one too."""
    running = {uid: pod for uid, pod in crash.before.pods.items() if pod.ran and pod.kept}
    if crash.after is None or not crash.after.settings.static or not running:
        return None
    return _moved(crash)


def _moved(crash: Crash) -> Iterator[Violation]:
    for uid, pod in crash.before.pods.items():
        if not pod.ran or not pod.kept:
            continue
        if uid not in crash.held:
            yield Violation(
                f"pod {uid} runs, and is not admitted again after a crash", crash.refused.get(uid, "nothing")
            )
            continue
        for container in pod.spec.containers:
            had, has = pod.held.get(container.name), crash.held[uid].get(container.name)
            before, now = had.cpus if had else 0, has.cpus if has else 0
            if container.kind != "init" and before != now:
                why = f"container {container.name} of pod {uid}, which runs, has other CPUs after a crash"
                yield Violation(why, format_bits(now), format_bits(before))
