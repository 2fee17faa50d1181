"""Where two targets differ: the same questions, the answers side by side."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..asking.drive import again, drive
from ..asking.generators.scenario import Scenario, Script
from ..judging.files import CPU_FILE, DEVICE_FILE, MEMORY_FILE
from ..wire import Client
from ..wire.history.history import History, Step
from .chance import AnyDevice, comes_up_by_chance, gives_back_by_chance
from .recorded.differences import Difference, comparable_device_file, comparable_memory_file, compare

STATE_FILES: Mapping[str, str] = {
    "cpu-manager/state-file": CPU_FILE,
    "memory-manager/state-file": MEMORY_FILE,
    "device-manager/state-file": DEVICE_FILE,
}
"""What a target claims to the file that is then compared."""
PASS = "node.reconcile"
NO_ANSWER, ANSWERED = "answer", "answered"
"""Where a target that gives no answer differs from one that does, and what is told of the latter."""
RUNS_ON = ("cpuset", "mems")
"""What an answer tells of where a container may run."""
_OPTIONAL = frozenset({"reusable", "reserved_cpus", "guaranteed_cpus", "pod_guaranteed_cpus", "hints", "pod_hints"})


@dataclass(frozen=True, slots=True)
class Differing:
    """The first step at which two histories of the same questions differ, and in what."""

    history: History
    other: History
    step: int
    differences: tuple[Difference, ...]


def differing(
    history: History,
    other: History,
    files: Collection[str] = (),
    *,
    messages: bool = False,
    ignored: Collection[str] = (),
    untold: Collection[str] = (),
) -> Differing | None:
    """Return where two histories of the same questions first differ; None when they do not.

    How a refusal is worded is compared with ``messages`` only; blocks of memory are, in whatever order they are told.
    Of devices that a kubelet takes by chance the NUMA nodes are compared; where those differ by chance too, what
    follows is the life of another node, and not compared, nor is what follows a start that one refuses by chance, or
    memory that one gives back by chance.
    ``files``: the state files that are compared, where they are told. ``ignored``: fields that are not. ``untold``:
    fields that one of the two cannot see; what the other tells of them stands for both. On what containers run is not
    compared where only one of the two sends cpusets at once.
    """
    devices = AnyDevice(history)
    at_once, other_at_once = (any(map(sends_unasked, each.steps)) for each in (history, other))
    ignored = {*ignored, *((*RUNS_ON, "updates") if at_once != other_at_once else ())}
    for number, (step, other_step) in enumerate(zip(history.steps, other.steps, strict=False)):
        if untold:
            step, other_step = _filled_in(step, other_step, untold), _filled_in(other_step, step, untold)

        def compared(
            name: Callable[[Any], Any], step: Step = step, other_step: Step = other_step
        ) -> tuple[Difference, ...]:
            between = _between(step, other_step, files, name, messages=messages)
            return tuple(each for each in between if not {*re.split(r"[.\[]", each.path)} & ignored)

        if by_place := compared(devices.by_place):
            if not compared(devices.by_reach) or devices.chose_otherwise(step, other_step):
                return None
            before = history.steps[:number]
            restarted = comes_up_by_chance(before, step, other_step)
            if restarted or gives_back_by_chance(before, by_place, history.head.version):
                return None
            return Differing(history.until(number + 1), other.until(number + 1), number, by_place)
    return None


def sends_unasked(step: Step) -> bool:
    """Tell whether cpusets are sent at a step in which the loop does not pass."""
    return step.method != PASS and (step.answer or {}).get("updates") is not None


def _filled_in(step: Step, other: Step, untold: Collection[str]) -> Step:
    return replace(step, answer=filled(step.answer, other.answer, untold))


def filled(answer: Any, other: Any, untold: Collection[str]) -> Any:
    """Return an answer with what it cannot tell as the other tells it."""
    if isinstance(answer, Mapping) and isinstance(other, Mapping):
        known = {name: filled(value, other.get(name), untold) for name, value in answer.items()}
        return known | {name: other[name] for name in untold if known.get(name) is None and name in other}
    if isinstance(answer, list) and isinstance(other, list) and len(answer) == len(other):
        return [filled(answered, others, untold) for answered, others in zip(answer, other, strict=True)]
    return answer


def _between(
    step: Step, other: Step, files: Collection[str], name: Callable[[Any], Any], *, messages: bool
) -> Iterator[Difference]:
    """Yield the differences of two answers; ``name`` stands for what is chance. One missing answer is one, two none."""
    if step.fault is not None or other.fault is not None:
        if step.fault is None or other.fault is None:
            yield Difference(NO_ANSWER, other.fault or ANSWERED, step.fault or ANSWERED)
        return
    answer = _of_files(step.answer or {}, files)
    filled_in = _compared_answer(step.method, other.answer or {}, answer, files)
    yield from compare(_comparable(name(filled_in)), _comparable(name(answer)), "", messages=messages)


def differences(
    scenarios: Iterable[Scenario], client: Client, reference: Client, version: str, files: Collection[str] = ()
) -> Iterator[Differing]:
    """Drive scenarios on one target, ask another the same, yield where they differ, at the end in ``files`` too."""
    for scenario in scenarios:
        history, _ = drive(ending_with_files(scenario) if files else scenario, client, version)
        other, _ = again(history, reference)
        if differs := differing(history, other, files, untold=client.untold):
            yield differs


def ending_with_files(scenario: Scenario) -> Scenario:
    """Return a scenario that asks for the state files too, at the end of the life of a node that is up."""

    def script() -> Script:
        questions, up = scenario.script(), False
        try:
            question = next(questions)
            while True:
                answer = yield question
                if question[0] in ("node.start", "node.restart"):
                    up = answer.get("result") in ("started", "restarted")
                question = questions.send(answer)
        except StopIteration:
            pass
        if up:
            yield "node.checkpoints", {}

    return replace(scenario, script=script)


def _compared_answer(method: str, answer: Mapping[str, Any], other: Mapping[str, Any], files: Collection[str]) -> Any:
    """Return what is compared: of what an allocation may tell beside the CPUs, what the other tells too."""
    if method == "allocate":
        return {name: value for name, value in answer.items() if name in other or name not in _OPTIONAL}
    return _of_files(answer, files)


def _of_files(answer: Mapping[str, Any], files: Collection[str]) -> Mapping[str, Any]:
    """Return an answer with these state files and no others, without an order that they do not have."""
    if "checkpoints" not in answer:
        return answer
    texts = {name: text for name, text in answer["checkpoints"].items() if name in files}
    if DEVICE_FILE in texts:
        texts[DEVICE_FILE] = comparable_device_file(texts[DEVICE_FILE])
    if MEMORY_FILE in texts:
        texts[MEMORY_FILE] = comparable_memory_file(texts[MEMORY_FILE])
    return {**answer, "checkpoints": texts, "writes": None}


def _comparable(answer: Any) -> Any:
    if isinstance(answer, Mapping):
        return {name: _comparable(value) for name, value in answer.items()}
    if isinstance(answer, list):
        items = [_comparable(item) for item in answer]
        if all(isinstance(item, dict) and "bytes" in item for item in items):
            items.sort(key=lambda block: (block.get("type", ""), block.get("nodes", []), block.get("bytes", 0)))
        return items
    return answer
