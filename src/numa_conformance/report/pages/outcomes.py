"""``outcome``: the right case of a pair in words, by what is otherwise in it than in the wrong one."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...chapters.outcomes import in_words, listed
from ...cpuset import format_bits
from ...judging.node_subjects import Admission
from ...judging.pods import PodSpec
from ...judging.published import PublishedDevice
from ...judging.scored import ScorePair
from ...judging.world import AdmittedPod
from ...wire.history.values import Affinity, CpuBits, Held, Update
from ...wire.messages.plugin import PluginStarted

Difference = tuple[str, tuple[str, ...], Any]
"""A field, the keys that lead to it, and its right value."""
NAMES = {
    "admit": "admitted",
    "answer": "CPUs",
    "axes": "hints",
    "chosen": "affinity",
    "cpus": "CPUs",
    "free": "free bytes",
    "id": "device",
    "insufficient": "reasons",
    "key": "name",
    "offered": "hints",
    "others": "CPUs",
    "pool": "shared pool",
    "qos": "class",
    "reserved": "reserved CPUs",
    "serves": "served before it registers",
    "shared": "CPUs",
    "together": "CPUs of the pod",
}
"""What fields are called, where it is not their name."""


def outcome(wrong: object, right: object) -> str:
    """Write what is right; empty where the two are not alike."""
    if type(wrong) is not type(right):
        return ""
    if _is_up(wrong) != _is_up(right):
        return f"the node {'comes' if _is_up(right) else 'does not come'} up."
    if isinstance(right, Admission):
        phrases = list(_admission(wrong, right))
    else:
        phrases = [_phrase(*each) for each in _differences("", (), wrong, right)]
    return f"{'; '.join(dict.fromkeys(filter(None, phrases)))}."


def _is_up(case: object) -> bool:
    """Tell whether a node is up, as far as a case is about that."""
    return bool(getattr(case, "up", True)) and None not in (getattr(case, name, case) for name in ("world", "after"))


def _admission(wrong: Any, right: Admission) -> Iterator[str]:
    """Yield what became of the pod, and what else of its answer is otherwise."""
    yield f"pod {right.pod.uid} is {'admitted' if right.admitted else 'refused'}"
    yield in_words(right.held)
    for name in ("reason", "phase", "qos"):
        if getattr(wrong, name) and getattr(wrong, name) != getattr(right, name):
            yield _phrase(name, (), getattr(right, name))
    for name, held in right.held.items():
        if name in wrong.held and held.quota != wrong.held[name].quota:
            yield _phrase("quota", (name,), held.quota)


def _differences(name: str, keys: tuple[str, ...], wrong: Any, right: Any) -> Iterator[Difference]:
    """Yield what is otherwise, as deep as both sides have the same form."""
    if wrong == right:
        return
    parts = list(_parts(wrong, right))
    for field, key, first, second in parts:
        yield from _differences(field or name, (*keys, *key), first, second)
    if not parts:
        yield name, keys, right


def _parts(wrong: Any, right: Any) -> Iterator[tuple[str, tuple[str, ...], Any, Any]]:
    """Yield field, key and both values of what two values consist of; nothing for what is written as a whole."""
    if type(wrong) is not type(right) or isinstance(right, (Held, Affinity, PodSpec)):
        return
    if isinstance(right, ScorePair):
        yield "scores", (), wrong.scores, right.scores
    elif isinstance(right, msgspec.Struct):
        for name in right.__struct_fields__:
            yield name, (), getattr(wrong, name), getattr(right, name)
    elif dataclasses.is_dataclass(right):
        for field in dataclasses.fields(right):
            yield field.name, (), getattr(wrong, field.name), getattr(right, field.name)
    elif isinstance(right, Mapping):
        for key in {**wrong, **right}:
            yield "", (str(key),), wrong.get(key), right.get(key)
    elif isinstance(right, Sequence) and len(wrong) == len(right) and _are_records(right):
        for first, second in zip(wrong, right, strict=True):
            yield "", (), first, second


def _are_records(values: Sequence[Any]) -> bool:
    return all(
        isinstance(each, (msgspec.Struct, PublishedDevice)) and not isinstance(each, Affinity) for each in values
    )


def _phrase(name: str, keys: tuple[str, ...], value: Any) -> str:
    noun, of = NAMES.get(name, name).replace("_", " "), "/".join(keys)
    if isinstance(value, Held):  # what has no key is told of the world as well
        return f"{of} has {value if value.cpuset is None else f'the cpuset {format_bits(value.cpuset)}'}" if of else ""
    if isinstance(value, PluginStarted):
        return f"the plugin registers {value.resource}"
    if isinstance(value, AdmittedPod):
        return f"pod {of} is on the node; {in_words(value.held)}"
    if isinstance(value, PodSpec):
        return f"the pod is {value.qos}"
    if isinstance(value, bool):
        return noun if value else f"not {noun}"
    if value == "" or (name in ("held", "refused") and not isinstance(value, str)):  # the rest tells it
        return ""
    if name in ("refused", "refusal") and value:
        return f'refused: "{value}"'
    if name in ("cpus", "together") and isinstance(value, int) and not isinstance(value, CpuBits):
        noun = f"number of {noun}"
    text = _text(name, value)
    return f"{noun} of {of}: {text}" if of else f"{noun} {text}" if text != "none" else f"no {noun}"


def _text(name: str, value: Any) -> str:
    if name == "offered":
        return listed(value)
    if name == "axes":
        return "; ".join(listed(Affinity(*hint) for hint in hints) for hints in value)
    if name == "chosen" and value is not None:
        return f"{{{format_bits(value)}}}"
    if isinstance(value, CpuBits) or (name in ("pool", "reserved") and value is not None):
        return format_bits(value)
    if isinstance(value, Update):
        return f"{value.uid}/{value.container} {format_bits(value.cpus)}"
    if isinstance(value, PublishedDevice):
        return value.key[-1]
    if isinstance(value, (tuple, list)):
        return ", ".join(_text(name, each) for each in value) or "none"
    return "none" if value is None else str(value)
