"""What every history shows, whatever it is about: its answers come, and can be read."""

from collections.abc import Iterator

from ..judging.chapter import Chapter, Judgement, Violation, applies, rests_on, violated
from ..judging.files import CPU_FILE, DEVICE_FILE, MEMORY_FILE
from ..judging.node_subjects import Arrival, Call
from ..judging.shared_views import NodeContainer
from ..judging.verdicts import ANSWERED, WELL_FORMED
from ..wire.history.values import CpuBits, HoldingBits
from .outcomes import blocks_text, cpus_text, devices_text, quota_text

chapter = Chapter(since="1.8")

chapter.sentence(
    ANSWERED,
    "Every question is answered, within the time of a call, on every machine.",
    rests_on=("topology/how/policy-decides",),
    beyond="that the answer comes in time: a pod whose admission never ends is neither accepted nor rejected",
)
chapter.sentence(
    WELL_FORMED,
    "What an answer calls a set of CPUs or NUMA nodes is one, no block of memory is smaller than nothing, and the"
    " containers it names are the pod's.",
    rests_on=("nrm/static/cpus-are-the-containers-own",),
    beyond="how sets are written and containers are named: the target protocol says it",
)


@chapter.requires("protocol/comes-up", "cpu-manager/static")
@rests_on(
    "cpu-task/options/incompatible-options-fail-the-start",
    beyond="that options which are not named as incompatible do not keep the node from coming up",
)
def comes_up(arrival: Arrival) -> Judgement:
    """A node comes up with a configuration that the pages allow on its machine."""
    return violated(arrival.up, "the node does not come up", got=arrival.refusal, allowed="it comes up")


@chapter.requires("protocol/knows-its-pods", "cpu-manager/static")
@rests_on("nrm/static/cpus-are-the-containers-own", beyond="that the node knows the pod for as long")
def knows_its_pods(call: Call) -> Judgement:
    """A pod that the node has admitted is known to it until it is removed."""
    applies(call.uid in call.before.pods, "the pod was not admitted, or was removed")
    why = f"pod {call.uid} was admitted and not removed, and the node does not know it"
    return violated(call.known, why, got="no such pod", allowed="the pod is known")


@chapter.requires("protocol/state-agrees-with-answers", "cpu-manager/static")
@rests_on("nrm/static/cpus-are-the-containers-own", beyond="that the node reports it alike whenever it is asked")
def state_agrees_with_answers(container: NodeContainer) -> Iterator[Violation]:
    """What a node reports of a container agrees with what it answered at the admission."""
    other = applies(container.other, "no other source says what the container holds")
    held = container.held or HoldingBits(CpuBits(0))
    if container.held is None:
        yield Violation(f"the pod of container {container.key} is in one place and not in another")
    has_cpus = container.settings.static and container.pool is not None
    has_devices = held.devices is not None and other.devices is not None
    for fact, noun, file, write, is_shown in (
        ("cpu", "CPUs", CPU_FILE, cpus_text, has_cpus),
        ("memory", "memory", MEMORY_FILE, blocks_text, held.memory is not None),
        ("device", "devices", DEVICE_FILE, devices_text, has_devices),
        ("quota", "CFS quota", "its admission", quota_text, container.is_never_bounded and other.quota is not None),
    ):
        if is_shown and write(held) != write(other):
            why = f"{container.teller} has other {noun} of container {container.key} than {file}"
            yield Violation(why, write(other), write(held), about=container.about("listed", fact))
