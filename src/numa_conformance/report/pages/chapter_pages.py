"""One page for each chapter: its sentences, when they are tested, and for each judge a question and two answers."""

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ...asking.examples.index import asked_by, index_of_tests
from ...asking.findings.findings import drawn
from ...asking.findings.telling import finding_of
from ...chapters import REQUIREMENTS, Requirement
from ...chapters.outcomes import in_words, listed
from ...chapters.pairs import Pair, pairs, violations
from ...cpuset import format_bits
from ...files import text_of
from ...judging.allocated import AllocatedCpus
from ...judging.chapter import CHAPTER_OF, Checker, Violation, judges_of
from ...judging.choice import CpuChoice
from ...judging.node_subjects import Admission
from ...judging.pods import PodSpec
from ...judging.published import PublishedDevice
from ...judging.reasons import reasons_of
from ...judging.rest import Balance, Stay
from ...judging.scored import ScorePair
from ...judging.verdicts import judge
from ...judging.world import AdmittedPod
from ...wire.history.history import History
from ...wire.history.values import Affinity, CpuBits, HoldingBits, UpdateBits
from ...wire.messages.plugin import PluginStarted
from ..html import render
from .questions import machine_of, question
from .source_pages import page_of, statement_links

Difference = tuple[str, tuple[str, ...], Any]
"""A field, the keys that lead to it, and its right value."""
NAMES = dict(line.split("; ") for line in text_of(__package__, "field_nouns.txt").splitlines())
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
    if type(wrong) is not type(right) or isinstance(right, (HoldingBits, Affinity, PodSpec)):
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
    return all(isinstance(each, msgspec.Struct) and not isinstance(each, (Affinity, Balance, Stay)) for each in values)


def _phrase(name: str, keys: tuple[str, ...], value: Any) -> str:
    noun, of = NAMES.get(name, name).replace("_", " "), "/".join(keys)
    if isinstance(value, HoldingBits):  # what has no key is told of the world as well
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
    if name in ("cpus", "reported_pod_count") and isinstance(value, int) and not isinstance(value, CpuBits):
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
    if isinstance(value, UpdateBits):
        return f"{value.uid}/{value.container} {format_bits(value.cpus)}"
    if isinstance(value, PublishedDevice):
        return value.key[-1]
    if isinstance(value, (tuple, list)):
        return ", ".join(_text(name, each) for each in value) or "none"
    return "none" if value is None else str(value)


def chapters() -> Mapping[str, list[Requirement]]:
    """Return the requirements of each chapter by the name of its page, in the order of the book."""
    book: dict[str, list[Requirement]] = {}
    for requirement in REQUIREMENTS.values():
        book.setdefault(page_of(requirement.id), []).append(requirement)
    return book


def title_of(requirements: Sequence[Requirement]) -> str:
    """Return the first line of the chapter of these requirements, which names its page of Kubernetes."""
    return (sys.modules[CHAPTER_OF[requirements[0].id]].__doc__ or "").partition("\n")[0]


def chapter_pages() -> Mapping[str, str]:
    """Return the text of each page below ``docs/requirements/`` by its name, without its ending."""
    return {page: _page(requirements) for page, requirements in chapters().items()}


def _page(requirements: Sequence[Requirement]) -> str:
    parts = [
        (
            requirement,
            _facts(requirement),
            [_pair(check, pairs()[check.function]) for check in judges_of(requirement.id) if check.function in pairs()],
        )
        for requirement in requirements
    ]
    return render("chapter.md", title=title_of(requirements), parts=parts)


def _facts(requirement: Requirement) -> list[str]:
    versions = f"since {requirement.since}" + (f" until {requirement.until}" if requirement.until else "")
    tests = ", ".join(f"`{name}`" for name in index_of_tests().get(requirement.id, ()))
    facts = [
        f"{requirement.strength}, level {requirement.level}, {versions}.",
        f"Source: [{requirement.source}]({requirement.address}).",
        f"Statements: {statement_links(requirement.statements, '../')}.",
        *([f"Beyond them: {requirement.beyond.rstrip('.')}."] if requirement.beyond else ()),
        f"Features: {', '.join(f'`{name}`' for name in requirement.features) or 'none'}.",
        f"Tested by {' and '.join(asked_by(requirement.id)) or requirement.command or 'nothing'}: {tests or 'none'}.",
    ]
    reasons = reasons_of(requirement.id)
    return [*facts, *([f"Not tested where {'; '.join(reasons)}."] if reasons else ())]


def _pair(check: Checker, pair: Pair) -> dict[str, Any]:
    """Return what the page says of a question and its two answers."""
    wrong, right = pair
    violation = (violations(check, wrong) or [Violation("")])[0]
    return {
        "question": question(wrong),
        "violation": violation,
        "wrong": _picture(check, wrong, violation.marks),
        "right": _picture(check, right, {}),
        "outcome": outcome(wrong, right),
    }


def _picture(check: Checker, case: object, marks: Mapping[str, int]) -> str:
    """Draw who has which CPUs in a case; empty where it shows none."""
    if isinstance(case, History):
        broken = (each for each in judge(case).broken if each.requirement == check.requirement)
        return next((finding_of(each).picture or "" for each in broken), "")
    after: Any = getattr(case, "after", None) or getattr(case, "world", None)
    machine = machine_of(case)
    if machine is None:
        return ""
    pods = getattr(after, "pods", {}).items()
    held = {f"{uid}/{name}": held.cpus for uid, pod in pods for name, held in pod.held.items()}
    chosen = case.answer if isinstance(case, CpuChoice) else case.cpus if isinstance(case, AllocatedCpus) else None
    return drawn(machine, held or {"container": chosen or 0}, marks)
