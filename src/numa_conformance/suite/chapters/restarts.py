"""The node agent ends, by a restart or a crash, and comes up again: containers that run keep what they have.

That CPUs stay stands on the page Node Resource Managers, section Static policy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, Violation, applies, violated
from ..judge.node_subjects import Crash, Recovery, Restart, kept_by
from ..judge.world import Held, PodOnNode, World

chapter = Chapter("cpu-manager/static", "node/restart", since="1.10")


def plain(restart: Restart) -> None:
    applies(restart.plain, "the node starts with another configuration, or other state files than its own")


def came_up_static(subject: Crash | Recovery) -> None:
    applies(
        subject.after is not None and subject.after.settings.static,
        "the node does not come up, or the CPU Manager's policy is none",
    )


@chapter.requires(
    "cpu-manager/state-file/assignments-survive-a-restart",
    on=Restart,
    rests_on=("topology-source/cpu-hints/held-cpus-again", "topology-source/admission/again-after-a-restart"),
    area="cpu-manager lifecycle",
    beyond="Only the source says that containers keep their CPUs over a restart of the kubelet.",
)
def cpus_survive_a_restart(restart: Restart) -> Iterator[Violation]:
    """Exclusive CPUs and the shared pool are the same after the node agent restarts.

    After a restart on its own state files every container that is there again has the CPUs it had.
    """
    plain(restart)
    applies(restart.settings.static, "the CPU Manager's policy is none")
    applies(restart.after is not None, "the node does not come up")
    return _moved(restart.kept, "after a restart")


@chapter.requires(
    "node/restart/admits-again-what-was-there",
    on=Restart,
    rests_on=("topology-source/admission/again-after-a-restart",),
    area="cpu-manager lifecycle",
    beyond="Only the source says that pods are admitted again after a restart of the kubelet.",
)
def admits_again_what_was_there(restart: Restart) -> Iterator[Violation]:
    """A node agent that is restarted on its own state files comes up, and admits the pods again that it had."""
    plain(restart)
    applies(restart.settings.static, "the CPU Manager's policy is none")
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


@chapter.requires(
    "node/restart/comes-up-after-a-crash",
    "node/writes",
    on=Crash,
    rests_on=("topology-source/admission/again-after-a-restart",),
    strength="SHOULD",
    area="cpu-manager lifecycle",
    beyond="that it comes up whenever it ended: the source says what happens to pods when it does",
)
def comes_up_after_a_crash(crash: Crash) -> Judgement:
    """A node agent that ends between two writes of its state files comes up with what it had written.

    State files that the node has written itself, each of them whole, are no reason not to come up.
    """
    return violated(
        crash.after is not None,
        "the node does not come up with the state files it had written until then",
        got=crash.refusal,
        allowed="it comes up",
    )


@chapter.requires(
    "node/restart/a-crash-leaves-no-cpu-in-two-places",
    "node/writes",
    on=Crash,
    rests_on=("nrm/cpus/exclusive-against-other-pods", "nrm/static/cpus-leave-the-pool"),
    area="cpu-manager lifecycle",
)
def no_cpu_in_two_places(crash: Crash) -> Judgement:
    """After the node agent ended between two writes exclusive CPUs belong to one pod, and are not shared."""
    came_up_static(crash)
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


@chapter.requires(
    "node/restart/a-crash-moves-no-running-container",
    "node/writes",
    on=Crash,
    rests_on=("topology-source/cpu-hints/held-cpus-again", "topology-source/admission/again-after-a-restart"),
    strength="SHOULD",
    area="cpu-manager lifecycle",
)
def no_running_container_moves(crash: Crash) -> Iterator[Violation]:
    """After the node agent ended between two writes containers that run have the CPUs they had.

    Containers that run keep their CPUs: the old state says so, and the new one too.
    """
    came_up_static(crash)
    applies(_running(crash), "no pod with CPUs of its own runs")
    running = _running(crash)
    for uid in running:
        if uid not in crash.held:
            why = f"pod {uid} runs, and is not admitted again after a crash"
            yield Violation(why, crash.refused.get(uid, "nothing"))
    yield from _moved(kept_by(running, crash.held), "after a crash")
