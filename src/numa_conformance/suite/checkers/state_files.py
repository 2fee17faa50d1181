"""State files that are there when a node comes up, whole, damaged, old or of other settings: what it makes of them.

That a policy changes only with its file removed stands on the page Control CPU Management Policies on the Node. What
becomes of a damaged file no page says: the node may stay down, or come up without it. What it must not do is give
something twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.files import CPU_FILE, CPU_POLICY, CPUS, MEMORY_FILE, MEMORY_POLICY
from ..judge.given import FoundFile
from ..judge.node_subjects import Recovery, Restart
from ..judge.settings import Settings
from .restarts import came_up_static, in_two_places


@checker("node/restart/damaged-files-give-nothing-twice", Recovery)
def nothing_is_given_twice(recovery: Recovery) -> Iterator[Violation]:
    """Exclusive CPUs and devices belong to one pod, and exclusive CPUs are not shared, whatever the files say."""
    world = recovery.after
    if world is not None and world.settings.static:
        yield from in_two_places(world, recovery.held.keys(), "after a start with other state files")
    yield from _devices_twice(recovery) if world is not None else ()


def _devices_twice(recovery: Recovery) -> Iterator[Violation]:
    owners: dict[tuple[str, str], str] = {}
    for uid, containers in recovery.held.items():
        for held in containers.values():
            for resource, ids in (held.devices or {}).items():
                for id in ids:
                    owner = owners.setdefault((resource, id), uid)
                    if owner != uid:
                        yield Violation(f"after a start with other state files {id} belongs to {owner} and {uid}")


@checker("node/restart/damaged-files-name-no-cpus-that-are-not-there", Recovery, when=(came_up_static,))
def no_unknown_cpus(recovery: Recovery) -> Judgement:
    """What is shared or exclusive after a start are CPUs of the machine."""
    world = recovery.after
    given, online = (world.pool | world.exclusive, world.online) if world else (0, 0)
    return violated(
        not given & ~online,
        f"CPUs {format_bits(given & ~online)} are given, which the machine does not have",
        got=format_bits(given),
        allowed=f"some of {format_bits(online)}",
    )


def of(what: str) -> Guard[FoundFile]:
    """Return the guard that it is about a policy, or CPUs, that a file was written under."""
    return Guard(f"it is not about the {what} of a file", lambda file: file.of == what)


@checker("cpu-manager/state-file/policy-change-is-refused", FoundFile, when=(of(CPU_POLICY),))
def policy_change_is_refused(file: FoundFile) -> Judgement:
    """With another CPU Manager policy the node does not come up while the state file is there."""
    return _stays_down(file)


@checker("memory-manager/state-file/policy-change-is-refused", FoundFile, when=(of(MEMORY_POLICY),))
def memory_policy_change_is_refused(file: FoundFile) -> Judgement:
    """With another Memory Manager policy the node does not come up while the state file is there."""
    return _stays_down(file)


@checker("cpu-manager/state-file/changed-cpus-are-refused", FoundFile, when=(of(CPUS),))
def changed_cpus_are_refused(file: FoundFile) -> Judgement:
    """The state file of a node with other CPUs has to be deleted first."""
    return _stays_down(file)


def _stays_down(file: FoundFile) -> Judgement:
    return violated(
        not file.up or file.written == file.wanted,
        f"the node comes up with {file.file} of another {file.of}",
        got=file.written,
        allowed=f"{file.wanted}, or the node does not come up until the file is deleted",
        about=file.about,
    )


to_another_policy = Guard[Restart](
    "the CPU Manager's policy stays",
    lambda restart: restart.wanted is not None and restart.wanted.static != restart.settings.static,
)


def _to_strict(restart: Restart) -> bool:
    wanted, before = restart.wanted, restart.settings
    return wanted is not None and wanted.static and before.static and wanted.strict and not before.strict


to_strict = Guard[Restart]("strict-cpu-reservation is not switched on", _to_strict)
cpu_file_is_there = Guard[Restart](
    "the CPU Manager's state file was deleted", lambda restart: CPU_FILE not in restart.deleted
)
drained = Guard[Restart]("pods are on the node", lambda restart: not restart.before.pods)
stays_down = Guard[Restart]("the node comes up", lambda restart: restart.after is None)


def _changed_files_are_deleted(restart: Restart) -> bool:
    wanted = restart.wanted or restart.settings
    return not cpu_file_is_there.holds(restart) and (_same_memory(wanted, restart) or MEMORY_FILE in restart.deleted)


changed_files_are_deleted = Guard[Restart](
    "the state file of a manager whose policy changes is there", _changed_files_are_deleted
)


def _same_memory(wanted: Settings, restart: Restart) -> bool:
    return wanted.memory_static == restart.settings.memory_static


@checker("cpu-manager/state-file/strict-change-is-refused", Restart, when=(to_strict, cpu_file_is_there))
def strict_change_is_refused(restart: Restart) -> Judgement:
    """With strict-cpu-reservation switched on the node does not come up while the state file is there."""
    return violated(
        restart.after is None,
        "the node comes up with strict-cpu-reservation, and with the state file of a node without",
        got="it comes up",
        allowed="it does not, until the file is deleted",
    )


@checker(
    "cpu-manager/state-file/policy-change-names-the-file",
    Restart,
    when=(to_another_policy, cpu_file_is_there, stays_down),
)
def policy_change_names_the_file(restart: Restart) -> Judgement:
    """A node that does not come up with another policy tells both policies, and which file to delete."""
    told = (CPU_FILE, "none", "static")
    missing = [name for name in told if name not in restart.refusal]
    return violated(
        not missing,
        f"the node does not come up with another policy, and does not tell {' and '.join(missing)}",
        got=restart.refusal,
        allowed="both policies, and the file to delete",
    )


@checker(
    "cpu-manager/state-file/policy-change-works-once-deleted",
    Restart,
    when=(to_another_policy, drained, changed_files_are_deleted),
)
def policy_change_works(restart: Restart) -> Judgement:
    """Drained and with the state file deleted the node comes up with another policy."""
    return violated(
        restart.after is not None,
        "the node does not come up with another policy once it is drained and the state file is deleted",
        got=restart.refusal,
        allowed="it comes up",
    )
