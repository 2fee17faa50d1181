"""The quirks and changes of Kubernetes behind what becomes of pods: the node is tried anew without each of them."""

from collections.abc import Collection, Iterator

from ...errors import StartError
from ...sources.changes import CHANGES, Changes
from ...sources.quirks import QUIRKS
from .node_inputs import Beginning, NodeInputs
from .outcomes import Outcomes


def departures(beginning: Beginning, inputs: NodeInputs, outcomes: Outcomes) -> dict[str, list[str]]:
    """Return by uid of a pod the ids of those without which it fares otherwise; first of all, all are left out."""
    behind: dict[str, list[str]] = {}
    for names in (inputs.quirks.showing(), Changes.of(inputs.version).showing()):
        differing = set(_otherwise(beginning, inputs, outcomes, names))
        for name in names if differing else ():
            for uid in _otherwise(beginning, inputs, outcomes, [name]):
                behind.setdefault(uid, []).append(name)
        for uid in differing - behind.keys():  # nothing alone is behind it, but several together
            behind[uid] = list(names)
            for name in names:
                fewer = [each for each in behind[uid] if each != name]
                if uid in _otherwise(beginning, inputs, outcomes, fewer):
                    behind[uid] = fewer
    return behind


def _otherwise(beginning: Beginning, inputs: NodeInputs, outcomes: Outcomes, without: Collection[str]) -> Iterator[str]:
    """Yield the pods that are refused for another reason, or hold something else, on a node without some of them."""
    quirks = inputs.quirks.without(*(name for name in without if name in QUIRKS))
    changes = Changes.of(inputs.version).without(*(name for name in without if name in CHANGES))
    try:
        other = beginning.outcomes(inputs, None, 0, quirks=quirks, changes=changes)
    except StartError:
        return
    for admission, after in zip(outcomes.admissions, other.admissions, strict=True):
        held = [{name: placed.holdings for name, placed in each.placements.items()} for each in (admission, after)]
        if admission.reason != after.reason or held[0] != held[1]:
            yield admission.uid


def departure_line(name: str) -> str:
    """Say in a line what a quirk or a change does, what is documented or was before, and where it is discussed."""
    if name in QUIRKS:
        quirk = QUIRKS[name]
        issue = f" ({quirk.issue})" if quirk.issue else ""
        return f"by quirk {name}{issue}: {quirk.summary}; documented: {quirk.documented}"
    change = CHANGES[name]
    pull = f" ({change.pull})" if change.pull else ""
    return f"by change {name} of {change.since}{pull}: {change.after}; before: {change.before}"
