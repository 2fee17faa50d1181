"""The files that hold failed scenarios."""

from __future__ import annotations

import re
from hashlib import sha256

SCENARIO_FILES = "scenario-*.json"


def scenario_file(case: str) -> str:
    """Return the file name for a case's scenario: readable, and different for different cases."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", case).strip("-")[:80]
    return f"scenario-{words}-{sha256(case.encode()).hexdigest()[:6]}.json"
