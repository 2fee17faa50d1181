"""Patches: which one of each minor level ``exact`` was shown of, and what older ones do otherwise.

Within their minor no patch of the CPU, Memory and Topology Manager decides anything otherwise than the next one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

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
        return version == self.since and version.patch is not None and version.patch < (self.since.patch or 0)


_ANY_ID_BEFORE = (
    "of a container that was started again before the kubelet was, one id alone is looked up: the Device Manager may "
    "take it for not running, and refuse its pod while its plugin has not registered"
)
_ANY_ID_AFTER = "the Device Manager takes a container for running if it runs under any id"

PATCH_CHANGES: tuple[PatchChange, ...] = (
    PatchChange(
        KubernetesVersion(1, 27, 2),
        "the Device Manager looks at the health of devices only where some are to be given",
        "a resource without healthy devices, and devices that are no longer healthy, refuse a pod in any case",
        quirk="unhealthy-devices-are-kept",
        issue="kubernetes/kubernetes#109595",
    ),
    PatchChange(
        KubernetesVersion(1, 27, 6),
        "a kubelet that starts refuses pods whose device plugin has not registered yet, also those that run",
        "while the kubelet starts, a container that runs keeps its devices unasked",
        quirk="running-containers-need-their-plugin",
        issue="kubernetes/kubernetes#118559",
    ),
    PatchChange(KubernetesVersion(1, 34, 7), _ANY_ID_BEFORE, _ANY_ID_AFTER, "restarted-containers-need-their-plugin"),
    PatchChange(KubernetesVersion(1, 35, 4), _ANY_ID_BEFORE, _ANY_ID_AFTER),
)
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
