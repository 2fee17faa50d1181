"""The bugs of the track record: those that quirks and changes name, and those that a life shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from numa_conformance.sources.changes import CHANGES
from numa_conformance.sources.quirks import QUIRKS
from numa_conformance.sources.versions import NEWEST, OLDEST, SUPPORTED, KubernetesVersion

__all__ = ["LIVES", "Bug", "Life", "bugs"]


@dataclass(frozen=True)
class Bug:
    """A bug of released code: the first and last version that have it, the last None where the newest one has it.

    ``id`` is that of the quirk, or of the change, with which the reference reproduces it.
    """

    id: str
    what: str
    issue: str | None
    pulls: tuple[str, ...]
    since: str
    last: KubernetesVersion | None

    @property
    def shown_on(self) -> KubernetesVersion:
        """The newest version that has it."""
        return self.last or NEWEST

    @property
    def mended_in(self) -> KubernetesVersion | None:
        """The first version without it; None where there is none yet."""
        if self.last is None:
            return None
        if self.last.patch is not None:
            return KubernetesVersion(1, self.last.minor, self.last.patch + 1)
        return next(version for version in SUPPORTED if version > self.last)


@dataclass(frozen=True)
class Life:
    """A bug that a life shows (``lives/``): the last version that has it, and the next one without it, if any.

    ``id`` names the file, ``quirk`` the quirk with which the reference reproduces it, empty where pages expect it.
    """

    id: str
    what: str
    references: tuple[str, ...]
    releases: str
    shown_on: str
    without: str
    quirk: str = ""


def bugs() -> Iterator[Bug]:
    """Yield every quirk that was mended or has a public reference, then the changes that have a pull request."""
    for quirk in QUIRKS.values():
        span = quirk.versions
        if quirk.issue or quirk.pull or span.until:
            yield Bug(quirk.id, quirk.summary, quirk.issue, quirk.pull, str(span.since), span.until)
    for change in CHANGES.values():
        if change.pull:
            last = next(version for version in reversed(SUPPORTED) if version < change.since)
            yield Bug(change.id, change.before, None, (change.pull,), f"before {OLDEST}", last)


_K = "kubernetes/kubernetes#"
LIVES = (
    Life(
        "plugin-late-at-restart",
        "a kubelet that starts refuses running pods whose device plugin has not registered yet",
        (f"{_K}118559", f"{_K}118635", f"{_K}119432"),
        "1.27.2 to 1.27.5",
        "1.27.5",
        "1.27.6",
        "running-containers-need-their-plugin",
    ),
    Life(
        "container-started-again",
        "it refuses a running pod of which a container had ended and was started again",
        (f"{_K}133451", f"{_K}135485", f"{_K}138027"),
        "1.27.6 to 1.34.6",
        "1.34.6",
        "1.34.7",
        "restarted-containers-need-their-plugin",
    ),
    Life(
        "plugin-late-at-boot",
        "after a boot a pod is refused, as its device plugin registers later than pods are admitted",
        (f"{_K}125579",),
        "1.27.2 to open",
        str(NEWEST),
        "1.27.1",
    ),
    Life(
        "none-of-a-device",
        "a pod that asks for none of a device is refused where its plugin offers none",
        (f"{_K}128854",),
        "1.27.2 to open",
        str(NEWEST),
        "1.27.1",
        "zero-devices-need-a-healthy-one",
    ),
    Life(
        "memory-differs-after-boot",
        "the kubelet does not start again where the memory of NUMA nodes is another after a boot",
        (f"{_K}131253",),
        f"before {OLDEST} to open",
        str(NEWEST),
        "",
    ),
)
"""What a history has no words for: boots, and device plugins that are late, fail or offer nothing."""
