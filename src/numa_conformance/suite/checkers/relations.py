"""What was admitted once is admitted again where no less is free, and with an init container that adds nothing."""

from __future__ import annotations

from ..judge.alignment import empties_the_pool
from ..judge.checker import Judgement, checker, violated
from ..judge.choice import WHOLE_CORES, adds_up
from ..judge.node_subjects import AskedAgain
from .admissions import REFUSING


@checker("node/admission/admits-again-what-it-admitted", AskedAgain)
def admits_again(asked: AskedAgain) -> Judgement:
    """What was admitted is admitted again where no less is free: after pods have gone, a restart, or a new start."""
    return None if asked.with_init else _admitted_again(asked, "was admitted when no more was free")


@checker("node/admission/an-init-container-no-larger-changes-nothing", AskedAgain)
def small_init_changes_nothing(asked: AskedAgain) -> Judgement:
    """The larger of init containers and app counts: an init container no larger than the app changes no verdict.

    Not asked where the pool would be empty until it ends, or where an init container asks for a part of a core; nor,
    where containers are aligned one by one and may be refused, if it is smaller: it may be aligned elsewhere.
    """
    world, pod = asked.now, asked.pod
    one_by_one = world.settings.topology in REFUSING and world.settings.scope != "pod"
    if one_by_one and any(own.requests != pod.apps[0].requests for own in pod.containers):
        return None
    if not asked.with_init or empties_the_pool(world, pod):
        return None
    cores = world.machine.core_bits
    if WHOLE_CORES in world.settings.options and not all(adds_up(cores, own.exclusive) for own in pod.containers):
        return None
    return _admitted_again(asked, "was admitted without its init containers, of which none is larger than its app")


def _admitted_again(asked: AskedAgain, why: str) -> Judgement:
    return violated(
        asked.admitted,
        f"pod {asked.pod.uid} is refused, and {why}",
        got=asked.refusal,
        allowed="admitted",
        free=asked.now.free,
    )
