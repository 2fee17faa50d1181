"""A target that says of a machine that it is outside of what it supports."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.picks import pick_sweep
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import BadReply, Client, Connection, InProcess, Stdio, Unsupported, serve
from numa_conformance.wire.messages.describe import Describe, Description
from numa_conformance.wire.messages.node import AdmitPod, StartNode
from numa_conformance.wire.messages.pick import Pick, Picked
from processes import PATIENCE

SMALL, LARGE = (machine_to_dict(load_machine(name)) for name in ("t1-one-socket-smt2", "t3-two-numa-per-socket"))


__all__ = ["OnlySmall", "serve"]


class OnlySmall(ReferenceTarget):
    """Chooses CPUs on machines of one NUMA node."""

    def describe(self, request: Describe) -> Description:
        features = ["cpu-manager/none", "cpu-manager/static"]
        return msgspec.structs.replace(super().describe(request), surfaces=["node", "pick"], features=features)

    def pick(self, request: Pick) -> Any:
        if {cpu["numa"] for cpu in request.machine["cpus"]} != {0}:
            raise Unsupported("more than one\nNUMA node")
        return super().pick(request)

    def node_admit(self, request: AdmitPod) -> Any:
        raise Unsupported("pods")


def in_process() -> Connection:
    return InProcess(OnlySmall, "small")


def over_stdio() -> Connection:
    here = Path(__file__)
    places = [str(here.parent), str(here.parents[1])]
    said = f"import sys; sys.path[:0] = {places}; import {here.stem} as t; serve = t.serve(t.OnlySmall())"
    return Stdio(f'{sys.executable} -c "{said}"', PATIENCE)


@pytest.mark.parametrize("connect", [in_process, over_stdio])
def test_the_reason_and_the_machine_are_remembered_and_the_target_goes_on(connect) -> None:
    client = Client(connect())
    try:
        assert isinstance(client.ask(Pick(SMALL, "1-7", 2)), Picked)
        for _ in range(2):
            with pytest.raises(Unsupported, match="more than one NUMA node"):
                client.ask(Pick(LARGE, "1-7", 2))
        assert isinstance(client.ask(Pick(SMALL, "1-7", 2)), Picked)
        assert client.outside == {"more than one NUMA node": ["t3-two-numa-per-socket"]}
    finally:
        client.close()


def test_only_a_machine_can_be_outside() -> None:
    client = Client(in_process())
    client.ask(StartNode(SMALL, {}))
    with pytest.raises(BadReply, match=r"node\.admit reports no machine"):
        client.ask(AdmitPod({}))
    assert client.outside == {}


def test_what_lies_behind_it_is_asked_all_the_same() -> None:
    client = Client(in_process())
    machines = [load_machine("t3-two-numa-per-socket"), load_machine("t1-one-socket-smt2")]
    asking = Asking(pick_sweep(machines, [frozenset()], counts=2, seed=0), client, "1.36")
    outcome = asking.spend()
    assert outcome.ended == []
    assert outcome.verdicts.unmet == set()
    assert outcome.verdicts.tests["cpu-manager/static/gives-free-cpus-only"] > 0
