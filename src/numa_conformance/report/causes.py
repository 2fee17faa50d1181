"""What a difference between the reference at two levels comes from: the quirks of the version."""

from __future__ import annotations

from ..documentation.quirks import Quirks
from ..documentation.versions import KubernetesVersion
from ..suite.differing import Differing
from ..suite.drive import again
from ..suite.two_targets import TwoTargets
from .beside_reference import open_reference

__all__ = ["QuirksBetween"]


class QuirksBetween:
    """Says which quirks a difference comes from, where one side is level ``exact`` and the other ``documented``.

    ``first_is_exact`` tells which; both follow the ``version``.
    """

    def __init__(self, version: KubernetesVersion, two: TwoTargets, *, first_is_exact: bool) -> None:
        """Take the version that both follow, and the two."""
        self._version = version
        self._two = two
        self._first_is_exact = first_is_exact

    def causes(self, found: Differing) -> tuple[str, ...]:
        """Return the quirks without any one of which both answer alike; empty where no one alone is the reason."""
        showing = Quirks.of(self._version).showing()
        return tuple(quirk for quirk in showing if self.comes_from(found, (quirk,)))

    def comes_from(self, found: Differing, quirks: tuple[str, ...]) -> bool:
        """Tell whether both answer alike once the exact one shows none of these quirks."""
        with open_reference("exact", self._version, Quirks.of(self._version).without(*quirks)) as reference:
            told, _ = again(found.history, reference)
        sides = (told, found.other) if self._first_is_exact else (found.history, told)
        return self._two.differing(*sides) is None
