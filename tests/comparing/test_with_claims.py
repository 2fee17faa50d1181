"""What became of pods beside a driver that gives CPUs to claims."""

import msgspec
import pytest

from numa_conformance.asking.generators.workloads import burstable, guaranteed
from numa_conformance.comparing.pod_outcomes import outcomes_with_claims
from numa_conformance.cpuset import format_bits
from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.claims import ClaimPrepared, ClaimRefused, DriverFailed

MACHINE = load_machine("two-nodes-devices")
"""Two sockets, a NUMA node each: CPUs 0-3,8-11 and 4-7,12-15; CPU 8 is the other thread of CPU 0."""


class Unkept(ReferenceTarget):
    """A driver that lets containers without a claim run anywhere."""

    def claims_run(self, request):
        return ClaimRefused("nothing decides that")


class OneByOne(ReferenceTarget):
    """A driver of two CPUs, a device each."""

    def claims_start(self, request):
        started = super().claims_start(request)
        (spec,) = started.slices
        devices = [{"name": f"cpu-{id}", "attributes": {"cpuID": {"int": id}}} for id in (3, 4)]
        return msgspec.structs.replace(started, slices=[{**spec, "devices": devices}])

    def claims_prepare(self, request):
        results = request.claim["status"]["allocation"]["devices"]["results"]
        cpus = ",".join(result["device"].removeprefix("cpu-") for result in results)
        return ClaimPrepared(cpus)


class Fails(ReferenceTarget):
    def claims_start(self, request):
        return DriverFailed("no such machine")


def of(driver, *pods, reserved=""):
    client = Client(InProcess(driver, "driver"))
    return outcomes_with_claims(client, MACHINE, {"reservedSystemCPUs": reserved}, pods)


def test_a_claim_is_of_the_first_device_that_has_room_and_others_keep_off_it():
    told = of(ReferenceTarget, guaranteed("a", 6), burstable("b", 1), guaranteed("c", 3), reserved="0")
    first, shared, second = (told[uid].containers["c"] for uid in "abc")
    assert (first.cpus.bit_count(), first.alone, first.nodes) == (6, True, (0,))
    assert (second.cpus.bit_count(), second.alone, second.nodes) == (3, True, (1,))
    assert shared.cpus == MACHINE.online_bits & ~first.cpus & ~second.cpus
    assert not first.cpus & 1


def test_where_nothing_keeps_others_off_nobody_is_alone():
    told = of(Unkept, guaranteed("a", 2), burstable("b", 1))
    assert not told["a"].containers["c"].alone
    assert told["b"].containers["c"].cpus == MACHINE.online_bits


def test_what_no_device_has_is_refused_and_all_of_the_pod_is_given_back():
    both = guaranteed("wide", 8)
    both["spec"]["containers"].append({**both["spec"]["containers"][0], "name": "d"})
    both["spec"]["containers"].append({**both["spec"]["containers"][0], "name": "e"})
    told = of(ReferenceTarget, guaranteed("larger", 9), both, guaranteed("a", 8), guaranteed("b", 7))
    assert [told[uid].reason for uid in ("larger", "wide", "a", "b")] == ["Unschedulable", "Unschedulable", "", ""]


def test_a_claim_that_is_not_prepared_refuses_its_pod_and_nothing_is_left_of_it():
    """With a container without a claim the reference's driver keeps a CPU back."""
    told = of(ReferenceTarget, burstable("b", 1), guaranteed("x", 8), guaranteed("y", 8), guaranteed("z", 7))
    assert told["y"].reason == "FailedPrepareDynamicResources"
    assert "would have no CPU" in told["y"].message
    assert told["z"].reason == ""
    assert told["b"].containers["c"].cpus.bit_count() == 1


def test_devices_of_one_cpu_are_taken_by_their_number():
    told = of(OneByOne, guaranteed("a", 2), guaranteed("b", 1))
    assert format_bits(told["a"].containers["c"].cpus) == "3-4"
    assert told["b"].reason == "Unschedulable"


def test_an_init_container_that_ends_asks_for_none_and_a_sidecar_does():
    pod = guaranteed("a", 2)
    pod["spec"]["initContainers"] = [{**pod["spec"]["containers"][0], "name": "i"}]
    assert [*of(ReferenceTarget, pod)["a"].containers] == ["c"]
    pod["spec"]["initContainers"][0]["restartPolicy"] = "Always"
    containers = of(ReferenceTarget, pod)["a"].containers
    assert {name: (fate.cpus.bit_count(), fate.alone) for name, fate in containers.items()} == {
        "i": (2, True),
        "c": (2, True),
    }


def test_a_driver_that_does_not_come_up_says_why():
    with pytest.raises(UsageError, match="the driver does not come up: no such machine"):
        of(Fails, guaranteed("a", 2))
