"""What came of a restart: which pods are there again, with what; and what a start has refused before."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from msgspec.json import encode

from ..wire.history.answers import StartedNode
from ..wire.history.values import bits, holdings_of
from ..wire.messages.node import ReadmittedPod, RejectedPod, Restarted, StartFailed, StartNode
from .files import Files
from .node_subjects import Restart
from .settings import Settings
from .world import World


class RefusedStarts:
    """Remembers the configurations with which a node did not come up, of the machine and version of the last start."""

    def __init__(self) -> None:
        self._known: dict[bytes, str] = {}
        self._version: str | None = None

    def remember(self, question: StartNode, reply: StartedNode | StartFailed) -> None:
        """Take note of a start; state files may be why one was refused."""
        if question.machine or question.kubernetes_version != self._version:
            self._known, self._version = {}, question.kubernetes_version
        if isinstance(reply, StartFailed) and not question.files:
            self._known[encode(question.kubelet, order="sorted")] = reply.message

    def refusal(self, kubelet: Mapping[str, Any] | None) -> str | None:
        """Return why a start with a configuration was refused; None where none is known."""
        return self._known.get(encode(kubelet, order="sorted")) if self._known else None


def restarted(
    before: World, reply: Restarted | StartFailed, settings: Settings, *, same: bool, with_its_files: bool, files: Files
) -> Restart:
    """Return a restart with a configuration, which is the ``same`` as before or another, and with these state files."""
    plain = same and with_its_files
    deleted = frozenset(name for name, text in files.items() if text is None)
    if isinstance(reply, StartFailed):
        return Restart(
            before, None, plain, refusal=reply.message, with_its_files=with_its_files, wanted=settings, deleted=deleted
        )
    held = {pod.uid: holdings_of(pod.containers) for pod in reply.pods if isinstance(pod, ReadmittedPod)}
    refused = {pod.uid: f"{pod.reason}: {pod.message}" for pod in reply.pods if isinstance(pod, RejectedPod)}
    pods = {uid: pod.found_again(held.get(uid, {})) for uid, pod in before.pods.items() if uid not in refused}
    reserved = before.reserved if settings.reserved is None else settings.reserved
    after = replace(before, settings=settings, reserved=reserved if settings.static else 0, pods=pods)
    after = after.with_pool(bits(reply.default_cpuset))
    if settings != before.settings:
        after = replace(after, first_pool=after.pool)
    return Restart(before, after, plain, held, refused, with_its_files=with_its_files, wanted=settings, deleted=deleted)
