"""Where a requirement shows, remembered: a small budget is not spent on looking for what few scenarios show.

What is remembered proves nothing: the scenario is asked anew each time. Where it is there no more, or shows nothing of
a target, the others are asked. ``python -m measured places`` in the folder ``tests`` remembers anew.
"""

import json
from collections.abc import Mapping
from functools import cache

from ..files import text_of

FILE = "requirement_index.json"
Place = tuple[str, str, str]
"""What a scenario says of itself: its generator, cell and machine."""


@cache
def all_places() -> Mapping[str, tuple[Place, ...]]:
    """Return by requirement the scenarios that show it of the documented reference.

    One is asked where everything is claimed, another where only what shows of a node from outside is. They may be one.
    """
    rows = json.loads(text_of(__package__, FILE))
    return {
        requirement: tuple((group, cell, machine) for group, cell, machine in places)
        for requirement, places in rows.items()
    }


def places_of(requirement: str) -> tuple[Place, ...]:
    """Return where a requirement is known to show."""
    return all_places().get(requirement, ())
