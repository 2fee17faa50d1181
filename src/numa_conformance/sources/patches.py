"""Patches: which one of each minor level ``exact`` was shown of, and what older ones do otherwise.

Within their minor no patch of the CPU, Memory and Topology Manager decides anything otherwise than the next one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from types import MappingProxyType

from ..files import records_of, text_of
from .versions import KubernetesVersion

_SHOWN = "1.27.16 1.28.15 1.29.15 1.30.14 1.31.14 1.32.13 1.33.13 1.34.10 1.35.8 1.36.4 1.37.1"
SHOWN_OF: Mapping[KubernetesVersion, KubernetesVersion] = MappingProxyType(
    {shown.of_minor: shown for shown in map(KubernetesVersion.parse, _SHOWN.split())}
)
"""Minor to the patch whose code the reference at level exact is compared with: ``go/kubelet/minors.txt``."""


@dataclass(frozen=True, slots=True)
class PatchChange:
    """What a patch began to do otherwise within its minor.

    ``since``: the first patch that does ``after``; those before it do ``before``. ``quirk``: what reproduces these;
    None where no question of ours meets the difference. ``issue``: a public reference, where one is known.
    """

    since: KubernetesVersion
    before: str
    after: str
    quirk: str | None = None
    issue: str | None = None

    def concerns(self, version: KubernetesVersion) -> bool:
        """Tell whether a version is a patch of this minor that does not have the change yet."""
        before = self.since.patch or 0
        return version == self.since and version.patch is not None and version.patch < before


def _read(head: str, before: str, after: str) -> PatchChange:
    since, *references = head.split("; ")
    words = before.removeprefix("before: "), after.removeprefix("after: ")
    return PatchChange(KubernetesVersion.parse(since), *words, *references)


PATCH_CHANGES: tuple[PatchChange, ...] = tuple(starmap(_read, records_of(text_of(__package__, "patches.txt"))))
"""Oldest first. Of 1.34.6 no module is published: it is counted to the patches before 1.34.7."""


def patch_note(version: KubernetesVersion) -> str | None:
    """Name the patch that level ``exact`` was compared with, and how this patch differs; None without a patch."""
    if version.patch is None or version not in SHOWN_OF:
        return None
    shown = SHOWN_OF[version]
    if version.patch == shown.patch:
        return f"level exact was shown of {shown}"
    if version.patch > (shown.patch or 0):
        return f"level exact was shown of {shown}, and of nothing newer"
    differing = [change for change in PATCH_CHANGES if change.concerns(version)]
    if not differing:
        return f"level exact was shown of {shown}; in what the managers decide {version} does not differ from it"
    return f"level exact was shown of {shown}; {'; '.join(map(_until, differing))}"


def _until(change: PatchChange) -> str:
    met = f"quirk {change.quirk}" if change.quirk else "no question meets this"
    return f"until {change.since} {change.before} ({met})"
