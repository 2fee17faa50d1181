"""Where the data that this project does not ship may lie: the folder ``shared`` beside the checkout's own folder.

Tests that use it run in addition where it is there.
"""

from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[2] / "shared"
SHARED: Path | None = _FOLDER if _FOLDER.is_dir() else None
needs_shared = pytest.mark.skipif(
    SHARED is None,
    reason="the full recorded decisions and machine dumps are not part of this project; "
    "they are looked for in ../shared, seen from the checkout, and are not there",
)
