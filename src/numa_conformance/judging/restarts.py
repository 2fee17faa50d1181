"""``restarted``: what came of a restart: which pods are there again, with what."""

from __future__ import annotations

from dataclasses import replace

from ..wire.history.values import bits, holdings_of
from ..wire.messages.node import ReadmittedPod, RejectedPod, Restarted, StartFailed
from .files import Files
from .node_subjects import Restart
from .settings import Settings
from .world import World


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
