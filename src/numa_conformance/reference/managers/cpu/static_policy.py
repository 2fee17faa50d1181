"""The static policy: exclusive CPUs for containers of Guaranteed pods that ask for whole ones."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from ....errors import Refusal
from ....kube.container import Container
from ....kube.pod import Pod
from ....sources.options import StaticOptions
from ..departures import Documented
from ..eligibility import empty_pool, exclusive_cpus, pod_exclusive_cpus, pod_parts
from ..hint import NO_AFFINITY, Hint
from ..provider import Active, release_inactive
from .accumulator import NotEnoughCpus
from .allocator import CpuAllocator
from .cpu_state import CpuPools, CpuState, check_state
from .hint_request import HintRequest, Preference, fewest_nodes
from .options.align_by_socket import SocketAlignment
from .options.full_pcpus_only import FullPcpusOnly
from .options.strict_cpu_reservation import StrictReservation
from .provider import CpuManager
from .topology import CpuTopology


class StaticPolicy(Documented, CpuManager):
    """The CPU Manager under policy ``static``; ``options`` and ``reserved`` are as the policy settled them."""

    policy = "static"

    def __init__(self, allocator: CpuAllocator, options: StaticOptions, reserved: int) -> None:
        """Start with everything in the shared pool."""
        every = allocator.topology.all
        super().__init__(CpuState(every & ~reserved if options.strict_cpu_reservation else every), reserved)
        self.topology: CpuTopology = allocator.topology
        self.options = options
        self._allocator = allocator
        whole_cores = FullPcpusOnly.of(self.quirks, self.changes)(self.topology, reserved)
        self._full_pcpus_only = whole_cores if options.full_pcpus_only else None
        self._by_socket = SocketAlignment.of(self.quirks)(self.topology) if options.align_by_socket else None
        self._preference: Preference = self._by_socket.preference if self._by_socket else fewest_nodes
        self._strict = StrictReservation.of(self.quirks)() if options.strict_cpu_reservation else None

    def restore(self, state: CpuState) -> None:
        """Go on from a stored state (CPU-CKPT-11..16); raises ``StartError``."""
        self.state = check_state(state, self.topology.all, self.reserved, strict=self.options.strict_cpu_reservation)

    def pools(self) -> CpuPools:
        """Return the shared pool, the reserved CPUs and those that are not reserved."""
        return CpuPools(self.state.default, self.reserved, self.topology.all & ~self.reserved)

    def remove_stale(self, active: Active, uids: Iterable[str] | None = None) -> bool:
        """Release what belongs to no active container; tell whether there was any (CPU-REC-10)."""
        return release_inactive(self.state.assignments, active, self.release, uids)

    def release(self, uid: str, container: str) -> None:
        """Give a container's CPUs back."""
        super().release(uid, container)
        self._forget_reusable(uid)

    def _forget_reusable(self, uid: str) -> None:
        self.reusable.pop(uid, None)

    def hint_request(self, pod: Pod, container: Container) -> HintRequest | None:
        """Return what decides the hints of one container (CPU-HINT-04); None: no opinion."""
        needed = exclusive_cpus(pod, container)
        if not needed:
            return None
        held = self.state.assignments.get(pod.uid, {}).get(container.name)
        if held is None:
            return self._new(needed, self.reusable.get(pod.uid, 0))
        return self._held(held, needed, fits=held.bit_count() == needed)

    def pod_hint_request(self, pod: Pod) -> HintRequest | None:
        """Return what decides the hints of a whole pod (CPU-HINT-05, 06); None: no opinion."""
        needed = pod_exclusive_cpus(pod)
        if not needed:
            return None
        if pod.served == "pod" and _empty_pool(pod):
            return HintRequest.of(self.topology, needed, 0).impossible()
        if (whole := self._whole(pod.uid)) is not None:
            return self._held(whole, needed, fits=whole.bit_count() == needed)
        held = 0
        if containers := self.state.assignments.get(pod.uid):
            for container in pod.all_containers:
                if (cpus := containers.get(container.name)) is not None:
                    if cpus.bit_count() != exclusive_cpus(pod, container):
                        return self._held(cpus, needed, fits=False)
                    held |= cpus
        if held.bit_count() == needed:
            return self._held(held, needed, fits=True)
        together = [exclusive_cpus(pod, each) for each in pod.all_containers if not pod.is_ordinary_init(each)]
        return self._new(needed, self.reusable.get(pod.uid, 0) | held, together)

    def _whole(self, uid: str) -> int | None:
        """Return the CPUs of a pod that was given its CPUs in one piece; None where it was not."""
        return self.state.pods.get(uid)

    def _new(self, needed: int, reusable: int, together: Sequence[int] = ()) -> HintRequest:
        """Return the request for CPUs that are not held, so many for each of containers side by side.

        Parts of cores do not count where they are not given.
        """
        cores = self._full_pcpus_only
        if cores is None:
            return HintRequest.of(self.topology, needed, self._free, reusable)
        free, again = cores.counted(self._free, reusable)
        request, nodes = HintRequest.of(self.topology, needed, free, again), self.topology.cpus_in_nodes
        if not cores.chooses:
            return request
        return replace(request, fits=lambda mask: cores.has_each((free | again) & nodes(mask), needed, together))

    def _held(self, held: int, needed: int, *, fits: bool) -> HintRequest:
        request = HintRequest.of(self.topology, needed, held)
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
        return None if request is None else {"cpu": request.hints(self._preference)}

    def allocate(
        self, pod: Pod, container: Container, affinity: Hint = NO_AFFINITY, trace: list[str] | None = None
    ) -> None:
        """Give a container its CPUs (CPU-STEP); raises ``Refusal`` with the state untouched, or ``KubeletHangs``."""
        count = exclusive_cpus(pod, container)
        if not count:
            return
        held = self.state.assignments.get(pod.uid, {}).get(container.name)
        if held is None:
            self._check_cores(pod, count)
            held = self._choose(count, affinity.mask, self.reusable.get(pod.uid, 0), trace)
            self.state.assign(pod.uid, container.name, held)
        self._note_reuse(pod, container, held)

    def allocate_pod(self, pod: Pod, affinity: Hint = NO_AFFINITY, trace: list[str] | None = None) -> None:
        """Give a pod its CPUs in one piece, and its containers their parts (CPU-PLR-01..04); raises ``Refusal``."""
        count = pod_exclusive_cpus(pod)
        if not count or self._whole(pod.uid) is not None:
            return
        if empty := _empty_pool(pod):
            raise Refusal("EmptyPodSharedPoolError", empty)
        if self._full_pcpus_only:
            self._full_pcpus_only.check(count, self.state.default, 0)
        whole = self._choose(count, affinity.mask, 0, trace)
        self.state.assign_pod(pod.uid, whole)
        try:
            parts = pod_parts(
                pod,
                whole,
                lambda container, left: self._allocator.allocate(left, exclusive_cpus(pod, container)),
                lambda left, part: left & ~part,
            )
        except NotEnoughCpus as fault:
            raise Refusal.unexpected(str(fault)) from None
        self.state.assignments[pod.uid] = parts

    def _check_cores(self, pod: Pod, count: int) -> None:
        """Refuse a request that does not fit whole cores, where only these are given."""
        if self._full_pcpus_only:
            self._full_pcpus_only.check(count, self.state.default, self.reusable.get(pod.uid, 0))

    def _choose(self, count: int, mask: int | None, reusable: int, trace: list[str] | None) -> int:
        try:
            cpus = self._gather(count, mask, reusable, trace)
        except NotEnoughCpus as fault:
            raise Refusal.unexpected(str(fault)) from None
        if self._strict:
            self._strict.check(self.state.default, cpus, count, self.reserved)
        return cpus

    def _gather(self, count: int, mask: int | None, reusable: int, trace: list[str] | None) -> int:
        """Take what each pool in turn can give; the last one has to give the rest (CPU-STEP-05, 06)."""
        available = self._offered(self._free | reusable)
        if self._full_pcpus_only and self._full_pcpus_only.chooses:
            pools = [*self._first_pools(available, mask, reusable), available]
            return self._full_pcpus_only.choose(pools, count, self.options)
        taken = 0
        for pool in self._first_pools(available, mask, reusable):
            offered = self._offered(pool & ~taken)
            number = min(count - taken.bit_count(), offered.bit_count())
            if number > 0:
                taken |= self._allocator.allocate(offered, number, trace)
        return taken | self._allocator.allocate(available & ~taken, count - taken.bit_count(), trace)

    def _offered(self, cpus: int) -> int:
        return self._full_pcpus_only.offered(cpus) if self._full_pcpus_only else cpus

    def _first_pools(self, available: int, mask: int | None, reusable: int) -> list[int]:
        """Return the pools to take from before all that is available: what the pod may reuse, then what is near."""
        near = self._near(available, mask)
        if not reusable:
            return near
        return [*(pool & reusable for pool in near), *near, available & reusable]

    def _near(self, available: int, mask: int | None) -> list[int]:
        """Return what is available near the hint, nearest first (CPU-STEP-05)."""
        if mask is None:
            return []
        if self._by_socket:
            return self._by_socket.near(available, mask)
        return [available & self.topology.cpus_in_nodes(mask)]

    def _note_reuse(self, pod: Pod, container: Container, cpus: int) -> None:
        """Keep the pod's reuse set, and no other's (CPU-REUSE-01..03)."""
        reusable = self.reusable.get(pod.uid, 0)
        self.reusable = {pod.uid: reusable | cpus if pod.leaves_for_reuse(container) else reusable & ~cpus}


class _ChecksHolders(StaticPolicy, quirk="smt_check_before_own_cpus"):
    """Looks for free cores also for a container that has its CPUs."""

    def allocate(
        self, pod: Pod, container: Container, affinity: Hint = NO_AFFINITY, trace: list[str] | None = None
    ) -> None:
        count = exclusive_cpus(pod, container)
        if count and container.name in self.state.assignments.get(pod.uid, {}):
            self._check_cores(pod, count)
        super().allocate(pod, container, affinity, trace)


class _ReusesOfGone(StaticPolicy, quirk="gone_pods_leave_cpus_to_reuse"):
    """Still takes for reusable what a pod left that is gone."""

    def _forget_reusable(self, uid: str) -> None:
        pass


class _ReusesByChance(StaticPolicy, quirk="init_cpus_reused_by_chance"):
    """Mixes what the pod may reuse with the other free CPUs."""

    def _first_pools(self, available: int, mask: int | None, reusable: int) -> list[int]:
        return self._near(available, mask)


class _GivesOtherCpus(StaticPolicy, quirk="whole_pods_get_other_cpus"):
    """Gives a pod others that was given its CPUs in one piece; the first are lost."""

    def _whole(self, uid: str) -> int | None:
        return None


def _empty_pool(pod: Pod) -> str | None:
    """Return why containers of a pod that is served as a whole would be left without CPUs; None where none would."""

    def owed(container: Container) -> dict[str, int]:
        count = exclusive_cpus(pod, container)
        return {"cpu": count} if count else {}

    return empty_pool(pod, {"cpu": pod_exclusive_cpus(pod)}, owed)
