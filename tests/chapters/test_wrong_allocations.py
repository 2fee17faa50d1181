"""Allocators that do not obey the pages, each in one step: by allocations in a state they are found out."""

from __future__ import annotations

import pytest

from chapters.test_allocations import STATIC, Allocator, scenarios
from numa_conformance.cpuset import iter_bits
from numa_conformance.judging.pods import PodSpec
from numa_conformance.judging.settings import Settings
from planted import breaks

RESERVATION = "cpu-manager/reservation/"


class ForgetsReserved(Allocator):
    def choose(self, free, reusable, number, near):
        return super().choose(free | self.reserved, reusable, number, near)


class LeavesThePoolAsItIs(Allocator):
    def after(self, pool, given):
        return pool


class TakesTheCoreOutOfThePool(Allocator):
    def after(self, pool, given):
        return pool & ~sum(core for core in self.machine.core_bits if core & given)


class KeepsReservedOutOfThePool(Allocator):
    def after(self, pool, given):
        return pool & ~given & ~self.reserved


class ForgetsInitCpus(Allocator):
    def choose(self, free, reusable, number, near):
        return super().choose(free, 0, number, near)


class RoundsUp(Allocator):
    def number(self, pod, container):
        return -int(-container.cpu // 1) if pod.qos == "Guaranteed" else 0


class ServesBurstable(Allocator):
    def number(self, pod, container):
        return int(container.cpu) if pod.qos == "Burstable" else container.exclusive


class ServesBestEffort(Allocator):
    def number(self, pod, container):
        return 1 if pod.qos == "BestEffort" else container.exclusive


class GivesOneMore(Allocator):
    def choose(self, free, reusable, number, near):
        return super().choose(free, reusable, number + 1, near)


class GivesWhatIsThere(Allocator):
    def choose(self, free, reusable, number, near):
        return super().choose(free, reusable, min(number, (free | reusable).bit_count()), near)


class KeepsOneBack(Allocator):
    """Refuses the last free CPU though the reserved ones are in the pool."""

    def choose(self, free, reusable, number, near):
        return None if number >= (free | reusable).bit_count() else super().choose(free, reusable, number, near)


class RoundsCoresUp(Allocator):
    def splits(self, number):
        return False


class SplitsCores(Allocator):
    def splits(self, number):
        return super().splits(number)

    def choose(self, free, reusable, number, near):
        room = list(iter_bits(free | reusable))
        return sum(1 << cpu for cpu in room[:number]) if len(room) >= number else None


class ForgetsTheHint(Allocator):
    def choose(self, free, reusable, number, near):
        return super().choose(free, reusable, number, 0)


class ChoosesAgain(Allocator):
    def again(self, held, pool):
        return self.pack(pool & ~self.reserved | held, held.bit_count())


class ReservesByItself(Allocator):
    def reservation(self, kubelet):
        return sum(1 << cpu for cpu in self.by_core()[: self.settings.reserved_count])


class RoundsTheReservationDown(Allocator):
    def reservation(self, kubelet):
        if self.settings.reserved is not None:
            return self.settings.reserved
        count = int(
            sum(PodSpec.of(_asks(kubelet.get(key))).effective("cpu") for key in ("kubeReserved", "systemReserved"))
        )
        return sum(1 << cpu for cpu in self.by_core()[: max(1, count)])


class RoundsEachReservationUp(Allocator):
    def reservation(self, kubelet):
        if self.settings.reserved is not None:
            return self.settings.reserved
        amounts = [PodSpec.of(_asks(kubelet.get(key))).effective("cpu") for key in ("kubeReserved", "systemReserved")]
        return sum(1 << cpu for cpu in self.by_core()[: sum(-int(-amount // 1) for amount in amounts)])


class ForgetsSystemReserved(Allocator):
    def reservation(self, kubelet):
        self.settings = Settings.of({key: value for key, value in kubelet.items() if key != "systemReserved"})
        return super().reservation(kubelet)


class NeedsNoReservation(Allocator):
    def reservation(self, kubelet):
        return super().reservation(kubelet) or 1


class ReservesTheLastCores(Allocator):
    def by_core(self):
        return super().by_core()[::-1]


class MovesUnderNone(Allocator):
    def __call__(self, scenario, params):
        return super().__call__(
            scenario,
            {
                **params,
                "kubelet": {
                    **params["kubelet"],
                    "cpuManagerPolicy": "static",
                    "reservedSystemCPUs": params["kubelet"].get("reservedSystemCPUs", "0"),
                },
            },
        )


def _asks(amounts):
    return {"spec": {"containers": [{"name": "c", "resources": {"requests": amounts or {}}}]}}


PLANTED = [
    (ForgetsReserved, RESERVATION + "is-never-exclusive"),
    (LeavesThePoolAsItIs, STATIC + "exclusive-cpus-leave-the-shared-pool"),
    (TakesTheCoreOutOfThePool, "cpu-manager/shared-pool/loses-nothing"),
    (KeepsReservedOutOfThePool, "cpu-manager/shared-pool/loses-nothing"),
    (ForgetsInitCpus, STATIC + "init-cpus-serve-later-containers"),
    (RoundsUp, STATIC + "fractional-guaranteed-is-shared"),
    (ServesBurstable, STATIC + "burstable-is-shared"),
    (ServesBestEffort, STATIC + "best-effort-is-shared"),
    (GivesOneMore, STATIC + "integral-guaranteed-is-exclusive"),
    (GivesWhatIsThere, STATIC + "refuses-what-is-not-free"),
    (KeepsOneBack, STATIC + "serves-what-is-free"),
    (RoundsCoresUp, "cpu-manager/full-pcpus-only/refuses-a-partial-core"),
    (SplitsCores, "cpu-manager/full-pcpus-only/gives-whole-cores"),
    (ForgetsTheHint, "topology-manager/best-effort/aligns-when-possible"),
    (ChoosesAgain, STATIC + "keeps-cpus-when-admitted-again"),
    (ReservesByItself, RESERVATION + "explicit-list-is-taken"),
    (RoundsTheReservationDown, RESERVATION + "rounds-up"),
    (RoundsEachReservationUp, RESERVATION + "adds-kube-and-system"),
    (ForgetsSystemReserved, RESERVATION + "adds-kube-and-system"),
    (NeedsNoReservation, RESERVATION + "must-be-positive"),
    (ReservesTheLastCores, RESERVATION + "takes-cores-in-ascending-order"),
    (MovesUnderNone, "cpu-manager/none/gives-no-exclusive-cpus"),
]
"""Wrong ones, and a requirement that each breaks."""


@pytest.mark.parametrize(("wrong", "requirement"), PLANTED)
def test_an_allocator_that_does_not_is_found_out(wrong, requirement):
    assert breaks(requirement, scenarios(), wrong())
