"""How often Python looks for garbage while the suite runs: seldom, as what is made is of use or goes at once."""

from __future__ import annotations

import gc

_MADE_MEANWHILE = 50_000
"""Objects that are made between two looks. By Python's own 700 the looks take a fifth of a run's time."""


class RareGarbage:
    """Looks seldom from the end of the collection on, and never at what was there by then."""

    def __init__(self) -> None:
        """Remember how often Python looks otherwise."""
        self._before = gc.get_threshold()

    def pytest_collection_finish(self) -> None:
        """Put the collected cases aside: they stay until the process ends."""
        gc.freeze()
        gc.set_threshold(_MADE_MEANWHILE, *self._before[1:])

    def pytest_unconfigure(self) -> None:
        """Look as often as before."""
        gc.set_threshold(*self._before)
