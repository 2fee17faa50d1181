"""The Topology Manager's walk over a pod: ask for hints, merge, store, allocate (TOPO-SCOPE-01..11)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ...errors import Refusal
from ...kube.container import Container
from ...kube.pod import Pod
from ..managers.hint import NO_AFFINITY, Hint
from ..managers.provider import Answers, Provider
from ..managers.topology import MergedHint, TopologyPolicy

StoredHints = dict[str, dict[str, Hint]]
"""Pod uid to container to the hint chosen for it. In memory only: a restart forgets it (TOPO-SCOPE-08)."""


class Admitter:
    """Walks pods through the managers under one topology policy and scope."""

    def __init__(
        self,
        policy: TopologyPolicy,
        providers: Sequence[Provider],
        watcher: "Watcher | None" = None,
        *,
        asks: Callable[[Provider], None],
    ) -> None:
        """Take the policy, the managers in their fixed order and, to explain decisions, a watcher.

        ``asks`` is told of each manager before it is asked for hints or to give.
        """
        self._policy = policy
        self._providers = tuple(providers)
        self.watcher = watcher
        self._asks = asks
        self.stored: StoredHints = {}

    def admit(self, pod: Pod) -> None:
        """Align and allocate every container of the pod.

        Raises ``Refusal``; what earlier containers were given stays until stale state is collected (TOPO-SCOPE-09).
        """
        if not self._policy.aligns:
            for container in pod.all_containers:
                self._allocate(pod, container, NO_AFFINITY)
        elif self._policy.aligns_whole_pods:
            hint = self._align(pod, None, {provider.name: provider.pod_hints(pod) for provider in self._hinting()})
            self.stored[pod.uid] = {container.name: hint for container in pod.all_containers}
            if self.gives_whole(pod):
                self._give(pod, None, lambda provider, trace: provider.allocate_pod(pod, hint, trace))
                return
            for container in pod.all_containers:
                self._allocate(pod, container, hint)
        else:
            for container in pod.all_containers:
                answers = {provider.name: provider.hints(pod, container) for provider in self._hinting()}
                hint = self._align(pod, container, answers)
                self.stored.setdefault(pod.uid, {})[container.name] = hint
                self._allocate(pod, container, hint)

    def align_resized(self, pod: Pod) -> None:
        """Align a pod anew by the managers that have hints for a resize; nobody gives. Raises ``Refusal``."""
        hinting = {provider: provider.hints_resizes for provider in self._hinting()}
        if not self._policy.aligns:
            return
        if self._policy.aligns_whole_pods:
            answers = {provider.name: provider.pod_hints(pod) if hints else None for provider, hints in hinting.items()}
            hint = self._align(pod, None, answers)
            self.stored[pod.uid] = {container.name: hint for container in pod.all_containers}
            return
        for container in pod.all_containers:
            answers = {
                provider.name: provider.hints(pod, container) if hints else None for provider, hints in hinting.items()
            }
            self.stored.setdefault(pod.uid, {})[container.name] = self._align(pod, container, answers)

    def gives_whole(self, pod: Pod) -> bool:
        """Tell whether a pod gets its resources in one piece."""
        return self._policy.aligns and self._policy.aligns_whole_pods and pod.served == "pod"

    def affinity(self, uid: str, container: str) -> Hint | None:
        """Return the hint stored for a container; None under a policy that does not align, where none is used."""
        return self.stored.get(uid, {}).get(container, NO_AFFINITY) if self._policy.aligns else None

    def forget(self, uid: str) -> None:
        """Drop what is stored for a pod that is gone."""
        self.stored.pop(uid, None)

    def _hinting(self) -> Iterator[Provider]:
        for provider in self._providers:
            self._asks(provider)
            yield provider

    def _align(self, pod: Pod, container: Container | None, answers: Answers) -> Hint:
        merged = self._policy.merge(answers.values())
        if self.watcher:
            self.watcher.merged(pod, container, answers, merged, self._policy)
        if not merged.admit:
            if self.watcher:
                self.watcher.refused(pod, container, "topology")
            raise Refusal("TopologyAffinityError", _refusal(pod, container))
        return merged.hint

    def _allocate(self, pod: Pod, container: Container, affinity: Hint) -> None:
        self._give(pod, container, lambda provider, trace: provider.allocate(pod, container, affinity, trace))

    def _give(self, pod: Pod, container: Container | None, give: Callable[[Provider, list[str] | None], None]) -> None:
        """Have every manager give; tell what was given, or which manager refused."""
        trace: list[str] | None = None if self.watcher is None else []
        for provider in self._hinting():
            try:
                give(provider, trace)
            except Refusal:
                if self.watcher is not None:
                    self.watcher.refused(pod, container, provider.name)
                raise
        if self.watcher is not None and trace:
            self.watcher.allocated(pod, container, trace)


def _refusal(pod: Pod, container: Container | None) -> str:
    """Return the kubelet's words for a pod whose resources cannot be aligned (TOPO-FAIL-01)."""
    if pod.served != "pod":
        return "Resources cannot be allocated with Topology locality"
    where = "under pod-scope topology manager" if container is None else "with a container-level topology manager"
    return f"Pod Scope pod with pod-level resources failed admission {where}"


class Watcher(Protocol):
    """Told of every merge, to tell or explain it later."""

    def merged(
        self, pod: Pod, container: Container | None, answers: Answers, merged: MergedHint, policy: TopologyPolicy
    ) -> None:
        """Take the answers in their order, what came of them and by which policy; in pod scope without a container."""

    def allocated(self, pod: Pod, container: Container | None, steps: list[str]) -> None:
        """Take what a container, or the pod as a whole, was given, in the order in which it was taken."""

    def refused(self, pod: Pod, container: Container | None, manager: str) -> None:
        """Take at which container, None for the pod as a whole, and by which manager a pod is refused."""
