"""The CPU Manager's state file. Page: Control CPU Management Policies on the Node, on changing the policy."""

from collections.abc import Iterator

from ...judging import rest
from ...judging.chapter import Chapter, Judgement, Violation, applies, judges, recommended_by, rests_on, violated
from ...judging.files import CPU_FILE, CPU_POLICY, CPUS, MEMORY_FILE
from ...judging.node_subjects import Restart
from ...judging.shared_views import FoundFile
from ...judging.sighting import Sighting
from ..conditions import plain, under_static
from ..outcomes import changed
from ..restart import can_be_read, is_of_the_same

chapter = Chapter("node/restart", "cpu-manager/static", since="1.10", area="cpu-manager lifecycle")


@chapter.requires("cpu-manager/state-file/assignments-survive-a-restart")
@rests_on(
    "topology-source/cpu-hints/held-cpus-again",
    "topology-source/admission/again-after-a-restart",
    beyond="Only the source says that containers keep their CPUs over a restart of the kubelet.",
)
def cpus_survive_a_restart(restart: Restart) -> Iterator[Violation]:
    """Exclusive CPUs and the shared pool are the same after the node agent restarts."""
    plain(restart)
    under_static(restart)
    applies(restart.after is not None, "the node does not come up")
    return changed(rest.CPUS, restart.readmitted, "a restart")


@judges("cpu-manager/state-file/assignments-survive-a-restart")
def cpu_file_can_be_read(sighting: Sighting) -> Judgement:
    """The file that holds the assignments can be read."""
    return can_be_read(sighting, CPU_FILE)


@chapter.requires("cpu-manager/state-file/policy-change-is-refused", "cpu-manager/state-file")
@rests_on("cpu-task/change/refused-otherwise")
def policy_change_is_refused(file: FoundFile) -> Judgement:
    """The node does not come up with another CPU Manager policy than that of the state file left on it."""
    return is_of_the_same(file, CPU_POLICY)


@chapter.requires("cpu-manager/state-file/changed-cpus-are-refused", "cpu-manager/state-file")
@rests_on(
    "cpu-task/change/changed-cpus-need-it-too",
    "nrm/cpus/no-hotplug",
    beyond="The page demands that the file is deleted, and does not say that the node does not come up otherwise.",
)
def changed_cpus_are_refused(file: FoundFile) -> Judgement:
    """The node does not come up with a state file that was written for another set of online CPUs."""
    return is_of_the_same(file, CPUS)


@chapter.requires(
    "cpu-manager/state-file/strict-change-is-refused",
    "cpu-manager/strict-cpu-reservation",
    "cpu-manager/state-file",
    since="1.32",
)
@recommended_by(
    "cpu-task/options/strict-needs-the-file-removed",
    beyond="The page demands that the file is deleted, and does not say that the node does not come up otherwise.",
)
def strict_change_is_refused(restart: Restart) -> Judgement:
    """The node does not come up when strict-cpu-reservation is switched on without deleting the state file."""
    before, wanted = restart.settings, restart.wanted or restart.settings
    switched_on = wanted.static and before.static and wanted.strict and not before.strict
    applies(switched_on, "strict-cpu-reservation is not switched on")
    applies(CPU_FILE not in restart.deleted, "the CPU Manager's state file was deleted")
    why = "the node comes up with strict-cpu-reservation, and with the state file of a node without"
    return violated(restart.after is None, why, got="it comes up", allowed="it does not, until the file is deleted")


@chapter.requires("cpu-manager/state-file/policy-change-names-the-file", "cpu-manager/state-file")
@recommended_by(
    "cpu-task/change/refused-otherwise",
    beyond="The page shows what the kubelet says; that other nodes say as much it does not demand.",
)
def policy_change_names_the_file(restart: Restart) -> Judgement:
    """A node that does not come up with another CPU Manager policy names both policies and the file to delete."""
    to_another_policy(restart)
    applies(CPU_FILE not in restart.deleted, "the CPU Manager's state file was deleted")
    applies(restart.after is None, "the node comes up")
    missing = [name for name in (CPU_FILE, "none", "static") if name not in restart.refusal]
    why = f"the node does not come up with another policy, and does not say so {' and '.join(missing)}"
    return violated(not missing, why, got=restart.refusal, allowed="both policies, and the file to delete")


@chapter.requires("cpu-manager/state-file/policy-change-works-once-deleted", "cpu-manager/state-file")
@rests_on("cpu-task/change/needs-the-file-removed")
def policy_change_works(restart: Restart) -> Judgement:
    """With the state file deleted the node comes up with another CPU Manager policy."""
    to_another_policy(restart)
    applies(not restart.before.pods, "pods are on the node")
    applies(CPU_FILE in restart.deleted, "the CPU Manager's state file is there")
    same_memory = restart.wanted is None or restart.wanted.memory_static == restart.settings.memory_static
    sound = same_memory or MEMORY_FILE in restart.deleted
    applies(sound, "the Memory Manager's policy changes, and its state file is there")
    why = "the node does not come up with another policy once it is drained and the state file is deleted"
    return violated(restart.after is not None, why, got=restart.refusal, allowed="it comes up")


def to_another_policy(restart: Restart) -> None:
    wanted = restart.wanted or restart.settings
    applies(wanted.static != restart.settings.static, "the CPU Manager's policy stays")
