"""The bugs of the track record: those that quirks and changes name, and those that nothing of ours shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from numa_conformance.sources.changes import CHANGES
from numa_conformance.sources.quirks import QUIRKS
from numa_conformance.sources.versions import NEWEST, OLDEST, SUPPORTED, KubernetesVersion

__all__ = ["MISSING", "Bug", "Missing", "bugs"]


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
class Missing:
    """A bug that nothing of ours shows, and why."""

    what: str
    issue: str
    pulls: tuple[str, ...]
    releases: str
    why: str


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
MISSING = (
    Missing(
        "a kubelet that starts refuses running pods whose device plugin has not registered yet",
        f"{_K}118559",
        (f"{_K}118635", f"{_K}119432"),
        "1.27.2-1.27.5",
        "where managers are asked alone device plugins register before pods come back; no whole kubelet of these "
        "releases was asked",
    ),
    Missing(
        "the kubelet does not start again where the memory of NUMA nodes is another after a boot",
        f"{_K}131253",
        (),
        "open",
        "a history has one machine; node.restart does not bring another one. `simulate --then reboot=MACHINE` shows it",
    ),
)
"""What is to be done next."""
