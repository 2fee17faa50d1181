"""State files that are damaged, old or of other settings: what a node makes of them when it starts again.

That a policy changes only with its file removed stands on the page Control CPU Management Policies on the Node. What
becomes of a damaged file no page says: the node may stay down, or come up without it. What it must not do is give
something twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.checker import Judgement, Violation, checker, violated
from ..judge.files import CPU_FILE, MEMORY_FILE
from ..judge.node_subjects import ForeignStart, Recovery, Restart
from ..judge.world import World
from .crashes import in_two_places


@checker("node/restart/damaged-files-give-nothing-twice", Recovery)
def nothing_is_given_twice(recovery: Recovery) -> Judgement:
    """Exclusive CPUs and devices belong to one pod, and exclusive CPUs are not shared, whatever the files say."""
    if recovery.after is None:
        return ()
    return [*_cpus_twice(recovery, recovery.after), *_devices_twice(recovery)]


def _cpus_twice(recovery: Recovery, world: World) -> Iterator[Violation]:
    if world.settings.static:
        yield from in_two_places(world, recovery.held.keys(), "after a start with other state files")


def _devices_twice(recovery: Recovery) -> Iterator[Violation]:
    owners: dict[tuple[str, str], str] = {}
    for uid, containers in recovery.held.items():
        for held in containers.values():
            for resource, ids in (held.devices or {}).items():
                for id in ids:
                    owner = owners.setdefault((resource, id), uid)
                    if owner != uid:
                        yield Violation(f"after a start with other state files {id} belongs to {owner} and {uid}")


@checker("node/restart/damaged-files-name-no-cpus-that-are-not-there", Recovery)
def no_unknown_cpus(recovery: Recovery) -> Judgement:
    """What is shared or exclusive after a start are CPUs of the machine."""
    world = recovery.after
    if world is None or not world.settings.static:
        return None
    unknown = (world.pool | world.exclusive) & ~world.online
    return violated(
        not unknown,
        f"CPUs {format_bits(unknown)} are given, which the machine does not have",
        got=format_bits(world.pool | world.exclusive),
        allowed=f"some of {format_bits(world.online)}",
    )


@checker("cpu-manager/state-file/policy-change-is-refused", Restart)
def policy_change_is_refused(restart: Restart) -> Judgement:
    """With another CPU Manager policy the node does not come up while the state file is there."""
    wanted = restart.wanted
    if wanted is None or wanted.static == restart.before.settings.static or CPU_FILE in restart.deleted:
        return None
    return _stays_down(restart, f"with CPU Manager policy {'static' if wanted.static else 'none'}")


@checker("cpu-manager/state-file/strict-change-is-refused", Restart)
def strict_change_is_refused(restart: Restart) -> Judgement:
    """With strict-cpu-reservation switched on the node does not come up while the state file is there."""
    wanted, before = restart.wanted, restart.before.settings
    if wanted is None or not (wanted.static and before.static) or CPU_FILE in restart.deleted:
        return None
    return _stays_down(restart, "with strict-cpu-reservation") if wanted.strict and not before.strict else None


@checker("memory-manager/state-file/policy-change-is-refused", Restart)
def memory_policy_change_is_refused(restart: Restart) -> Judgement:
    """With another Memory Manager policy the node does not come up while the state file is there."""
    wanted, before = restart.wanted, restart.before.settings
    if wanted is None or wanted.memory_static == before.memory_static or MEMORY_FILE in restart.deleted:
        return None
    return _stays_down(restart, f"with Memory Manager policy {'Static' if wanted.memory_static else 'None'}")


def _stays_down(restart: Restart, how: str) -> Judgement:
    return violated(
        restart.after is None,
        f"the node comes up {how}, and with the state file of the other",
        got="it comes up",
        allowed="it does not, until the file is deleted",
    )


@checker("cpu-manager/state-file/policy-change-works-once-deleted", Restart)
def policy_change_works(restart: Restart) -> Judgement:
    """Drained and with the state file deleted the node comes up with another policy."""
    wanted, before = restart.wanted, restart.before
    if wanted is None or wanted.static == before.settings.static or before.pods or CPU_FILE not in restart.deleted:
        return None
    if wanted.memory_static != before.settings.memory_static and MEMORY_FILE not in restart.deleted:
        return None
    return violated(
        restart.after is not None,
        "the node does not come up with another policy once it is drained and the state file is deleted",
        got=restart.refusal,
        allowed="it comes up",
    )


@checker("cpu-manager/state-file/changed-cpus-are-refused", ForeignStart)
def changed_cpus_are_refused(start: ForeignStart) -> Judgement:
    """The state file of a node with other CPUs has to be deleted first."""
    if not start.settings.static:
        return None
    return violated(
        not start.up,
        "the node comes up with the state file of a node with other CPUs",
        got="it comes up",
        allowed="it does not, until the file is deleted",
    )
