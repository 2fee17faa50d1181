"""Kinds of differences between two targets, for people and for programs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from ..asking.findings.findings import Finding, maps
from ..asking.findings.telling import scenario_of
from ..comparing.kinds_of_difference import Kind
from ..machine.picture import legend_line, scene_text
from ..machine.picture_scene import scenes_of
from ..printable import listed
from ..sources.changes import CHANGES
from ..sources.quirks import QUIRKS

MOST_PLACES = 6
"""Places in an answer that are told of one example; a difference of one CPU is seen in many."""
BEHIND = "alignments"
"""What led to an answer, and is told after it: hints of every provider are long."""
MOST_MACHINES = 5
MOST_ITEMS = 3
WITHOUT_A_MACHINE = ("classify", "merge", "score")
WIDEST = 70
"""Characters of a value that are told beside another; a longer one has a line of its own."""


def kind_as_json(kind: Kind) -> dict[str, Any]:
    """Return a kind of difference with its example: a scenario that ``replay`` takes, the second side as its record."""
    history, places = kind.example.history, kind.example.differences
    differences = [{"path": place.path, "a": place.got, "b": place.expected} for place in places]
    example = {"machine": history.head.machine.name, "steps": len(history.steps), "differences": differences}
    head = {"method": kind.method, "place": kind.place, "needs": kind.needed, **causes_by_sort(kind.causes)}
    counts = {"histories": kind.histories, "machines": list(kind.machines)}
    return {**head, **counts, "example": {**example, "scenario": _scenario(kind)}}


def causes_by_sort(causes: Sequence[str]) -> dict[str, list[str]]:
    """Return causes as JSON has them: quirks, changes, and the rest."""
    return {
        "quirks": [name for name in causes if name in QUIRKS],
        "changes": [name for name in causes if name in CHANGES],
        "gatesAndOptions": [name for name in causes if name not in QUIRKS and name not in CHANGES],
    }


def _causes(causes: Sequence[str]) -> Iterator[str]:
    by_sort = causes_by_sort(causes)
    if by_sort["quirks"]:
        yield f"quirk: {', '.join(by_sort['quirks'])}"
    yield from (f"change: {name}, from {CHANGES[name].since} on {CHANGES[name].after}" for name in by_sort["changes"])
    if by_sort["gatesAndOptions"]:
        yield f"another stage in the other version: {', '.join(by_sort['gatesAndOptions'])}"


def by_cause(kinds: Sequence[Kind]) -> list[list[Kind]]:
    """Return kinds of one known cause together, in the order in which the first of each came."""
    together: dict[tuple[str, ...], list[Kind]] = {}
    for kind in kinds:
        together.setdefault(kind.causes or (kind.method, kind.place, *sorted(kind.needs)), []).append(kind)
    return list(together.values())


def kinds_as_text(kinds: Sequence[Kind], number: int, width: int) -> str:
    """Return kinds of one cause as lines: the first with its example, of the others where they show."""
    kind, *others = kinds
    lines = [_kind_as_text(kind, number, width)]
    if others:
        lines += ["   it shows as well in", *(f"     {_counted(other)}; {_needs(other)}" for other in others)]
    return "\n".join(lines)


def _counted(kind: Kind) -> str:
    return f"{kind.method}, {kind.place}: {kind.histories} histor{'y' if kind.histories == 1 else 'ies'}"


def _needs(kind: Kind) -> str:
    return f"needs {', '.join(kind.needed) or 'no policy and no option'}"


def _kind_as_text(kind: Kind, number: int, width: int) -> str:
    example = kind.example
    scenario = _scenario(kind)
    machines = "" if kind.method in WITHOUT_A_MACHINE else f", on {listed(kind.machines, MOST_MACHINES)}"
    lines = [
        f"{number}. {_counted(kind)}{machines}",
        f"   {_needs(kind)}",
        *(f"   {line}" for line in _causes(kind.causes)),
        *(f"   {line}" for line in Finding([], "", scenario=scenario).in_words.splitlines() if line),
    ]
    places = sorted(example.differences, key=lambda difference: difference.path.startswith(BEHIND))
    for difference in places[:MOST_PLACES]:
        lines += [f"   {line}" for line in _place(difference.path, difference.got, difference.expected)]
    if len(example.differences) > MOST_PLACES:
        lines.append(f"   ... and {len(example.differences) - MOST_PLACES} more")
    return "\n".join([*lines, *(f"   {line}".rstrip() for line in _pictures(scenario, width - 3))])


def _scenario(kind: Kind) -> dict[str, Any]:
    """Return the example as a recorded decision: the answers of the second side are its record."""
    scenario, other = scenario_of(kind.example.history), kind.example.other
    starts = [step.answer for step in other.steps if step.method == "node.start"]
    record = {"kubernetesVersion": other.head.version, "expect": scenario_of(other)["answered"]}
    return {**scenario, **record, **({"initial": starts[-1]} if starts else {})}


def _place(path: str, first: Any, other: Any) -> Iterator[str]:
    if isinstance(first, list) and isinstance(other, list):
        path += " (what one side alone has)"
        first, other = [each for each in first if each not in other], [each for each in other if each not in first]
    texts = _text(first), _text(other)
    if sum(map(len, texts)) <= WIDEST:
        yield f"{path}: A {texts[0]}, B {texts[1]}"
        return
    yield f"{path}:"
    yield from (f"  {side} {text}" for side, text in zip("AB", texts, strict=True))


def _text(value: Any) -> str:
    if isinstance(value, list) and len(value) > MOST_ITEMS:
        return f"{_text(value[:MOST_ITEMS])} and {len(value) - MOST_ITEMS} more"
    text = "(nothing)" if value in (None, []) else value if isinstance(value, str) and value else repr(value)
    return text if len(text) <= 3 * WIDEST else f"{text[: 3 * WIDEST]}... ({len(text)} characters)"


def _pictures(scenario: Mapping[str, Any], width: int) -> list[str]:
    """Return the machine on both sides, next to each other where that fits; what is alike is folded."""
    drawn = maps(scenario)
    if drawn is None:
        return []
    machine, other, first = drawn
    if first is None or other is None:
        return []
    scenes = scenes_of(machine, {"A": (first, {}), "B": (other, {})})
    left, right = ([side, *scene_text(scene, legend=False, fold=0).splitlines()] for side, scene in scenes.items())
    if left[1:] == right[1:]:
        return []
    wide, last = max(map(len, left)), legend_line(scenes["A"].owners, {})
    if wide + 4 + max(map(len, right)) > width:
        return [*left, *right, last]
    return [*(f"{here:<{wide}}    {there}" for here, there in zip_longest(left, right, fillvalue="")), last]
