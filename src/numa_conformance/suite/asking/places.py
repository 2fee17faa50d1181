"""Where a requirement shows, remembered: a small budget is not spent on looking for what few scenarios show.

What is remembered proves nothing: the scenario is asked anew each time. Where it is there no more, or shows nothing of
a target, the others are asked. ``python -m remembered_places`` in the folder ``tests`` remembers anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

__all__ = ["FILE", "Place", "place_of", "places"]

FILE = "places.json"
Place = tuple[str, str, str]
"""What a scenario says of itself: its generator, cell and machine."""


@cache
def places() -> Mapping[str, Place]:
    """Return by requirement the scenario that shows it to the documented reference."""
    rows = json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8"))
    return {requirement: (group, cell, machine) for requirement, (group, cell, machine) in rows.items()}


def place_of(requirement: str) -> Place | None:
    """Return where a requirement is known to show."""
    return places().get(requirement)
