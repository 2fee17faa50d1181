"""Claims where the target has a scheduler of its own: what that has allocated counts, not what the suite wishes."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from directly import Directly
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.claims import claims, prepare
from numa_conformance.asking.generators.scenario import Scenario, ask_all
from numa_conformance.judging.verdicts import judge
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.claims import (
    ClaimPrepared,
    ClaimRefused,
    DriverStarted,
    PrepareClaim,
    RestartDriver,
    StartDriver,
    UnprepareClaim,
)


class OwnScheduler(ReferenceTarget):
    """Gives each claim that it has not seen the last device with room; ``lies``: it tells the suite's wish instead."""

    lies = False

    def claims_start(self, request: StartDriver) -> Any:
        started = super().claims_start(request)
        assert isinstance(started, DriverStarted)
        self.spec, self.held = started.slices[0], dict[str, Any]()
        return started

    def claims_restart(self, request: RestartDriver) -> Any:
        return super().claims_restart(request)

    def claims_prepare(self, request: PrepareClaim) -> ClaimPrepared | ClaimRefused:
        uid = request.claim["metadata"]["uid"]
        if uid not in self.held:
            self.held[uid] = self._allocated(request.claim)
        claim = {**request.claim, "status": {"allocation": {"devices": {"results": self.held[uid]}}}}
        answer = super().claims_prepare(PrepareClaim(claim))
        if isinstance(answer, ClaimRefused):
            del self.held[uid]
            return answer
        return ClaimPrepared(answer.cpus, answer.shared, request.claim if self.lies else claim)

    def claims_unprepare(self, request: UnprepareClaim) -> Any:
        self.held.pop(request.uid, None)
        return super().claims_unprepare(request)

    def _allocated(self, claim: dict[str, Any]) -> list[dict[str, Any]]:
        """Allocate the requests to the last devices that have room for them together."""
        requests = claim["spec"]["devices"]["requests"]
        last_first = [device["name"] for device in reversed(self.spec["devices"])]
        for names in itertools.product(last_first, repeat=len(requests)):
            results = [self._result(request, name) for request, name in zip(requests, names, strict=True)]
            if self._fits(results):
                return results
        raise AssertionError("the suite asks for no more than there is")

    def _result(self, request: dict[str, Any], name: str) -> dict[str, Any]:
        consumed = request["exactly"]["capacity"]["requests"]
        return {
            "request": request["name"], "driver": self.spec["driver"], "pool": self.spec["pool"]["name"],
            "device": name, "consumedCapacity": consumed,
        }  # fmt: skip

    def _fits(self, more: list[dict[str, Any]]) -> bool:
        taken: Counter[str] = Counter()
        for result in [result for held in self.held.values() for result in held] + more:
            taken[result["device"]] += sum(map(int, result["consumedCapacity"].values()))
        rooms = {device["name"]: device["capacity"].values() for device in self.spec["devices"]}
        return all(taken[name] <= int(next(iter(room))["value"]) for name, room in rooms.items())


class Liar(OwnScheduler):
    lies = True


@pytest.mark.parametrize(("kind", "broken"), [(OwnScheduler, set()), (Liar, {"dra-driver/attributes/numa-node"})])
def test_what_another_scheduler_has_allocated_is_what_counts(kind: type[OwnScheduler], broken: set[str]) -> None:
    client = Client(InProcess(lambda: kind("documented", "1.37"), "own scheduler"))
    verdicts = Asking(claims(client.features, [load_machine("snc2-small")]), client, "1.37").spend().verdicts
    client.close()
    assert verdicts.tests["dra-driver/attributes/numa-node"] > 10
    assert {name for name in verdicts.unmet if name in broken} == broken
    assert broken or not verdicts.unmet


def test_a_device_of_another_driver_is_no_part_of_what_is_judged() -> None:
    driver = "cpu.example.com"
    place = {"request": "r", "pool": "node", "device": "numa-0"}
    consumed = {"consumedCapacity": {f"{driver}/cpu": "2"}, "shareID": "s"}
    results = [{**place, "driver": "gpu.example.com"}, {**place, "driver": driver, **consumed}]
    requests = [{"name": "r", "exactly": {"deviceClassName": "any", "allocationMode": "ExactCount", "count": 2}}]
    claim = {
        "metadata": {"uid": "u", "name": "c", "namespace": "d"},
        "spec": {"devices": {"requests": requests}},
        "status": {"allocation": {"devices": {"results": results}}},
    }
    questions = [("claims.start", {"reserved_cpus": ""}), prepare(claim)]
    scenario = Scenario("claims", "two drivers", load_machine("snc2-small"), partial(ask_all, questions))
    history, fault = drive(scenario, Directly(ReferenceTarget("documented")), "1.37")
    assert (fault, judge(history).broken) == (None, [])
    start, prepared = history.steps
    one = replace(history, steps=(start, replace(prepared, answer={**prepared.answer, "cpus": "0"})))
    assert [broken.requirement for broken in judge(one).broken] == ["dra-driver/claims/get-what-they-consume"]
