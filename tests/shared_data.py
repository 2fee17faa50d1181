"""Where the data that this project does not ship may lie: beside the checkout. Tests that use it run in addition."""

from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[1].parent / "shared"
SHARED: Path | None = _FOLDER if _FOLDER.is_dir() else None
needs_shared = pytest.mark.skipif(
    SHARED is None, reason="the full recorded decisions and machine dumps are not part of this project and are not here"
)
