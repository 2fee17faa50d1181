"""Release of the suite in which each requirement came, or in which its judge was last tightened.

``releases.json`` lists both for each release. A requirement that it does not list is new in the release to come,
``NEXT``. When a release is made, ``python -m measured releases`` in the folder ``tests`` adds its new requirements.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from ..files import text_of


class Release(msgspec.Struct, frozen=True):
    """The ids of new requirements, and of each tightened requirement the reason: the cases that are new."""

    new: tuple[str, ...] = ()
    tightened: Mapping[str, str] = MappingProxyType({})


FILE = Path(__file__).with_suffix(".json")
RELEASES: Mapping[str, Release] = msgspec.json.decode(text_of(__package__, FILE.name), type=dict[str, Release])
"""By version, the oldest first."""
NEXT = [*RELEASES][-1]
"""The release to come."""
_INTRODUCED = {id: version for version, each in RELEASES.items() for id in (*each.new, *each.tightened)}


def introduced(requirement: str) -> str:
    """Return the release in which a requirement came, or was last tightened."""
    return _INTRODUCED.get(requirement, NEXT)
