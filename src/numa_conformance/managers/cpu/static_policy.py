"""The static policy: exclusive CPUs for containers of Guaranteed pods that ask for whole ones."""

from __future__ import annotations

from collections.abc import Mapping

from ...documentation.options import StaticOptions
from ...documentation.quirks.cpu import CpuQuirks
from ...errors import Refusal
from ...kube.container import Container
from ...kube.pod import Pod
from ..eligibility import exclusive_cpus, pod_exclusive_cpus
from ..hint import NO_AFFINITY, Hint
from ..provider import Active, inactive
from .accumulator import NotEnoughCpus
from .allocator import CpuAllocator
from .hint_request import HintRequest
from .provider import CpuManager
from .restore import check_state
from .state import CpuPools, CpuState
from .topology import CpuTopology
from .whole_cores import WholeCores

__all__ = ["StaticPolicy"]


class StaticPolicy(CpuManager):
    """The CPU Manager under policy ``static``; ``options`` and ``reserved`` are as the policy settled them."""

    policy = "static"

    def __init__(
        self,
        allocator: CpuAllocator,
        options: StaticOptions,
        reserved: int,
        quirks: CpuQuirks,
    ) -> None:
        """Start with everything in the shared pool."""
        every = allocator.topology.all
        super().__init__(CpuState(every & ~reserved if options.strict_cpu_reservation else every), reserved)
        self.topology: CpuTopology = allocator.topology
        self.options = options
        self._allocator = allocator
        self._whole_cores = WholeCores(self.topology, reserved, quirks) if options.full_pcpus_only else None
        self._quirks = quirks

    def restore(self, state: CpuState) -> None:
        """Go on from a stored state (CPU-CKPT-11..16); raises ``StartError``."""
        self.state = check_state(state, self.topology.all, self.reserved, strict=self.options.strict_cpu_reservation)

    def pools(self) -> CpuPools:
        """Return the shared pool, the reserved CPUs and those that are not reserved."""
        return CpuPools(self.state.default, self.reserved, self.topology.all & ~self.reserved)

    def remove_stale(self, active: Active) -> bool:
        """Release what belongs to no active container; tell whether there was any (CPU-REC-10)."""
        stale = inactive(self.state.assignments, active)
        for uid, name in stale:
            self.release(uid, name)
        return bool(stale)

    def hint_request(self, pod: Pod, container: Container) -> HintRequest | None:
        """Return what decides the hints of one container (CPU-HINT-04); None: no opinion."""
        needed = exclusive_cpus(pod, container)
        if not needed:
            return None
        own = self.state.assignments.get(pod.uid, {}).get(container.name)
        if own is None:
            return HintRequest.of(self.topology, needed, self._free, self.reusable.get(pod.uid, 0))
        return self._held(own, needed, fits=own.bit_count() == needed)

    def pod_hint_request(self, pod: Pod) -> HintRequest | None:
        """Return what decides the hints of a whole pod (CPU-HINT-05, 06); None: no opinion."""
        needed = pod_exclusive_cpus(pod)
        if not needed:
            return None
        held = 0
        own = self.state.assignments.get(pod.uid)
        if own:
            for container in pod.all_containers:
                cpus = own.get(container.name)
                if cpus is not None:
                    if cpus.bit_count() != exclusive_cpus(pod, container):
                        return self._held(cpus, needed, fits=False)
                    held |= cpus
        if held.bit_count() == needed:
            return self._held(held, needed, fits=True)
        return HintRequest.of(self.topology, needed, self._free, self.reusable.get(pod.uid, 0) | held)

    def _held(self, own: int, needed: int, *, fits: bool) -> HintRequest:
        request = HintRequest.of(self.topology, needed, own)
        return request if fits else request.impossible()

    @property
    def _free(self) -> int:
        return self.state.default & ~self.reserved

    def hints(self, pod: Pod, container: Container) -> Mapping[str, list[Hint] | None] | None:
        """List the NUMA sets that can serve one container."""
        return self._answer(self.hint_request(pod, container))

    def pod_hints(self, pod: Pod) -> Mapping[str, list[Hint] | None] | None:
        """List the NUMA sets that can serve a whole pod."""
        return self._answer(self.pod_hint_request(pod))

    def _answer(self, request: HintRequest | None) -> Mapping[str, list[Hint] | None] | None:
        if request is None:
            return None
        return {
            "cpu": request.hints(
                by_socket=self.options.align_by_socket, sizes_too=self._quirks.align_by_socket_only_adds_hints
            )
        }

    def allocate(
        self, pod: Pod, container: Container, affinity: Hint = NO_AFFINITY, trace: list[str] | None = None
    ) -> None:
        """Give a container its CPUs (CPU-STEP); raises ``Refusal`` with the state untouched, or ``KubeletHangs``."""
        count = exclusive_cpus(pod, container)
        if not count:
            return
        own = self.state.assignments.get(pod.uid, {}).get(container.name)
        if self._whole_cores is not None and (own is None or self._quirks.smt_check_before_own_cpus):
            self._whole_cores.check(count, self.state.default, self.reusable.get(pod.uid, 0))
        if own is None:
            own = self._choose(count, affinity.mask, self.reusable.get(pod.uid, 0), trace)
            self.state.assign(pod.uid, container.name, own)
        self._note_reuse(pod, container, own)

    def _choose(self, count: int, mask: int | None, reusable: int, trace: list[str] | None) -> int:
        try:
            cpus = self._gather(count, mask, reusable, trace)
        except NotEnoughCpus as fault:
            raise Refusal.unexpected(str(fault)) from None
        empties_pool = self.options.strict_cpu_reservation and not self.state.default & ~cpus
        if empties_pool and not self._quirks.strict_pool_may_empty:
            spare = self._free.bit_count() - 1
            raise Refusal.unexpected(
                f"not enough cpus available to satisfy request: requested={count}, available={spare}"
            )
        return cpus

    def _gather(self, count: int, mask: int | None, reusable: int, trace: list[str] | None) -> int:
        """Take what each pool in turn can give; the last one has to give the rest (CPU-STEP-05, 06)."""
        available = self._free | reusable
        whole = self._whole_cores
        if whole is not None:
            available = whole.offered(available)
            if not self._quirks.full_pcpus_only_takes_partial_cores and not self.topology.even:
                return self._gather_uneven(whole, count, mask, available)
        taken = 0
        for pool in self._pools(available, mask, reusable):
            offered = pool & ~taken
            if whole is not None:
                offered = whole.offered(offered)
            number = min(count - taken.bit_count(), offered.bit_count())
            if number > 0:
                taken |= self._allocator.allocate(offered, number, trace)
        return taken | self._allocator.allocate(available & ~taken, count - taken.bit_count(), trace)

    def _gather_uneven(self, whole: WholeCores, count: int, mask: int | None, available: int) -> int:
        for pool in (*self._pools(available, mask, 0), available):
            if whole.can_give(pool, count):
                return whole.take(pool, count)
        raise NotEnoughCpus(
            f"not enough cpus available to satisfy request: requested={count}, available={available.bit_count()}"
        )

    def _pools(self, available: int, mask: int | None, reusable: int) -> list[int]:
        """Return the pools to take from before all that is available."""
        aligned = []
        if mask is not None:
            if not self.options.align_by_socket or not self._quirks.align_by_socket_leaves_hinted_nodes:
                aligned.append(available & self.topology.cpus_in_nodes(mask))
            if self.options.align_by_socket:
                aligned.append(available & self.topology.cpus_in_sockets_of(mask))
        if self._quirks.init_cpus_reused_by_chance or not reusable:
            return aligned
        first = [pool & reusable for pool in aligned]
        return [*first, *aligned, available & reusable]

    def _note_reuse(self, pod: Pod, container: Container, cpus: int) -> None:
        """Keep the pod's reuse set, and no other's (CPU-REUSE-01..03)."""
        reusable = self.reusable.get(pod.uid, 0)
        self.reusable = {pod.uid: reusable | cpus if pod.is_ordinary_init(container) else reusable & ~cpus}
