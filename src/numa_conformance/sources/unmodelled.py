"""What Kubernetes has near NUMA placement that the reference does not reproduce, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .texts import text_of


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A feature that is not reproduced: its gate, what it does to what is decided here, and why it is left out."""

    gate: str
    does: str
    why: str


TEXT = text_of(__package__, "unmodelled")


def _read(text: str) -> Unmodelled:
    gate, does, why = re.sub(r"\n {4}", " ", text).strip().split("\n  ")
    return Unmodelled(gate, does, why.removeprefix("why: "))


UNMODELLED = tuple(map(_read, re.split(r"\n(?=\S)", TEXT.strip())))
"""The features, with those first that users ask about most."""
