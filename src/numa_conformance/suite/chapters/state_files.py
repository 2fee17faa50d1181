"""State files that are there when a node comes up, whole, damaged, old or of other settings: what it makes of them.

That a policy changes only with its file removed stands on the page Control CPU Management Policies on the Node. What
becomes of a damaged file no page says: the node may stay down, or come up without it. What it must not do is give
something twice.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, Violation, applies, violated
from ..judge.files import CPU_FILE, CPU_POLICY, CPUS, MEMORY_FILE, MEMORY_POLICY
from ..judge.given import FoundFile
from ..judge.node_subjects import Recovery, Restart
from ..judge.settings import Settings
from .restarts import came_up_static, in_two_places

chapter = Chapter("node/restart", since="1.10")


@chapter.requires(
    "node/restart/damaged-files-give-nothing-twice",
    "cpu-manager/static",
    "cpu-manager/state-file",
    on=Recovery,
    rests_on=("nrm/cpus/exclusive-against-other-pods", "nrm/static/cpus-leave-the-pool"),
    area="cpu-manager lifecycle",
)
def nothing_is_given_twice(recovery: Recovery) -> Iterator[Violation]:
    """With state files that are damaged or old a node stays down, or gives no CPU and no device to two pods.

    Exclusive CPUs and devices belong to one pod, and exclusive CPUs are not shared, whatever the files say.
    """
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


@chapter.requires(
    "node/restart/damaged-files-name-no-cpus-that-are-not-there",
    "cpu-manager/static",
    "cpu-manager/state-file",
    on=Recovery,
    rests_on=("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/exclusive-are-all-but-reserved"),
    area="cpu-manager lifecycle",
)
def no_unknown_cpus(recovery: Recovery) -> Judgement:
    """With state files that are damaged or old a node stays down, or gives CPUs that the machine has.

    What is shared or exclusive after a start are CPUs of the machine.
    """
    came_up_static(recovery)
    world = recovery.after
    given, online = (world.pool | world.exclusive, world.online) if world else (0, 0)
    return violated(
        not given & ~online,
        f"CPUs {format_bits(given & ~online)} are given, which the machine does not have",
        got=format_bits(given),
        allowed=f"some of {format_bits(online)}",
    )


def of(file: FoundFile, what: str) -> None:
    """Return the guard that it is about a policy, or CPUs, that a file was written under."""
    applies(file.of == what, f"it is not about the {what} of a file")


@chapter.requires(
    "cpu-manager/state-file/policy-change-is-refused",
    "cpu-manager/static",
    "cpu-manager/state-file",
    on=FoundFile,
    rests_on=("cpu-task/change/refused-otherwise",),
    area="cpu-manager lifecycle",
)
def policy_change_is_refused(file: FoundFile) -> Judgement:
    """The node does not come up with another CPU Manager policy than that of the state file left on it."""
    of(file, CPU_POLICY)
    return _stays_down(file)


@chapter.requires(
    "memory-manager/state-file/policy-change-is-refused",
    "memory-manager/static",
    "memory-manager/state-file",
    on=FoundFile,
    rests_on=("troubleshooting/state/file",),
    since="1.21",
    beyond="The page shows that the file holds the policy; what becomes of another one it does not say.",
)
def memory_policy_change_is_refused(file: FoundFile) -> Judgement:
    """The node does not come up with another Memory Manager policy than that of the state file left on it."""
    of(file, MEMORY_POLICY)
    return _stays_down(file)


@chapter.requires(
    "cpu-manager/state-file/changed-cpus-are-refused",
    "cpu-manager/static",
    "cpu-manager/state-file",
    on=FoundFile,
    rests_on=("cpu-task/change/changed-cpus-need-it-too", "nrm/cpus/no-hotplug"),
    area="cpu-manager lifecycle",
    beyond="The page demands that the file is deleted, and does not say that the node does not come up otherwise.",
)
def changed_cpus_are_refused(file: FoundFile) -> Judgement:
    """The node does not come up with a state file that was written for another set of online CPUs."""
    of(file, CPUS)
    return _stays_down(file)


def _stays_down(file: FoundFile) -> Judgement:
    return violated(
        not file.up or file.written == file.wanted,
        f"the node comes up with {file.file} of another {file.of}",
        got=file.written,
        allowed=f"{file.wanted}, or the node does not come up until the file is deleted",
        about=file.about,
    )


def to_another_policy(restart: Restart) -> None:
    applies(
        restart.wanted is not None and restart.wanted.static != restart.settings.static,
        "the CPU Manager's policy stays",
    )


def _to_strict(restart: Restart) -> bool:
    wanted, before = restart.wanted, restart.settings
    return wanted is not None and wanted.static and before.static and wanted.strict and not before.strict


def _changed_files_are_deleted(restart: Restart) -> bool:
    wanted = restart.wanted or restart.settings
    return CPU_FILE in restart.deleted and (_same_memory(wanted, restart) or MEMORY_FILE in restart.deleted)


def _same_memory(wanted: Settings, restart: Restart) -> bool:
    return wanted.memory_static == restart.settings.memory_static


@chapter.requires(
    "cpu-manager/state-file/strict-change-is-refused",
    "cpu-manager/static",
    "cpu-manager/strict-cpu-reservation",
    "cpu-manager/state-file",
    on=Restart,
    rests_on=("cpu-task/options/strict-needs-the-file-removed",),
    since="1.32",
    strength="SHOULD",
    area="cpu-manager lifecycle",
    beyond="The page demands that the file is deleted, and does not say that the node does not come up otherwise.",
)
def strict_change_is_refused(restart: Restart) -> Judgement:
    """The node does not come up when strict-cpu-reservation is switched on without deleting the state file."""
    applies(_to_strict(restart), "strict-cpu-reservation is not switched on")
    applies(CPU_FILE not in restart.deleted, "the CPU Manager's state file was deleted")
    return violated(
        restart.after is None,
        "the node comes up with strict-cpu-reservation, and with the state file of a node without",
        got="it comes up",
        allowed="it does not, until the file is deleted",
    )


@chapter.requires(
    "cpu-manager/state-file/policy-change-names-the-file",
    "cpu-manager/static",
    "cpu-manager/state-file",
    on=Restart,
    rests_on=("cpu-task/change/refused-otherwise",),
    strength="SHOULD",
    area="cpu-manager lifecycle",
    beyond="The page shows what the kubelet says; that other nodes say as much it does not demand.",
)
def policy_change_names_the_file(restart: Restart) -> Judgement:
    """A node that does not come up with another CPU Manager policy tells both policies and the file to delete."""
    to_another_policy(restart)
    applies(CPU_FILE not in restart.deleted, "the CPU Manager's state file was deleted")
    applies(restart.after is None, "the node comes up")
    told = (CPU_FILE, "none", "static")
    missing = [name for name in told if name not in restart.refusal]
    return violated(
        not missing,
        f"the node does not come up with another policy, and does not tell {' and '.join(missing)}",
        got=restart.refusal,
        allowed="both policies, and the file to delete",
    )


@chapter.requires(
    "cpu-manager/state-file/policy-change-works-once-deleted",
    "cpu-manager/static",
    "cpu-manager/state-file",
    on=Restart,
    rests_on=("cpu-task/change/needs-the-file-removed",),
    area="cpu-manager lifecycle",
)
def policy_change_works(restart: Restart) -> Judgement:
    """With the state file deleted the node comes up with another CPU Manager policy."""
    to_another_policy(restart)
    applies(not restart.before.pods, "pods are on the node")
    applies(_changed_files_are_deleted(restart), "the state file of a manager whose policy changes is there")
    return violated(
        restart.after is not None,
        "the node does not come up with another policy once it is drained and the state file is deleted",
        got=restart.refusal,
        allowed="it comes up",
    )
