"""A target is one: what it says of itself holds in every process in which it is asked."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess, Unsupported
from numa_conformance.wire.messages.describe import Describe, Description
from numa_conformance.wire.messages.node import NodeStarted, StartNode
from numa_conformance.wire.messages.pick import Pick
from numa_conformance.wire.target_record import TargetRecord

SMALL = machine_to_dict(load_machine("t1-one-socket-smt2"))
RENAMED = {**SMALL, "cpus": SMALL["cpus"][:4]}
"""Another machine of the same name."""


class Moody(ReferenceTarget):
    """Supports no machine of 4 CPUs, and no odd count."""

    times = 0

    def describe(self, request: Describe) -> Description:
        self.times += 1
        told = super().describe(request)
        if self.times == 1:
            return told
        features = [*told.features[2:], "node/hints"]
        return msgspec.structs.replace(told, name=f"process {self.times}", features=features)

    def pick(self, request: Pick) -> Any:
        if request.count % 2 or len(request.machine["cpus"]) == 4:
            raise Unsupported("moody")
        return super().pick(request)


@pytest.fixture
def client():
    made = Client(InProcess(lambda: Moody(level="documented"), "moody"))
    yield made
    made.close()


def ask(client: Client, machine: dict[str, Any], count: int) -> None:
    try:
        client.ask(Pick(machine, "0-3", count))
    except Unsupported:
        assert machine is RENAMED or count % 2


@pytest.mark.parametrize("counts", [(2, 1), (1, 2)])
def test_a_machine_that_is_supported_for_some_questions_only_is_a_contradiction_in_either_order(client, counts):
    for count in counts:
        ask(client, SMALL, count)
    (machines,) = client.record.contradictions.values()
    assert machines == ["t1-one-socket-smt2"]


def test_machines_of_one_name_are_told_apart(client):
    ask(client, SMALL, 2)
    ask(client, RENAMED, 2)
    ask(client, SMALL, 2)
    assert client.outside == {"moody": ["t1-one-socket-smt2"]}
    assert client.record.contradictions == {}


def test_a_description_that_changes_is_told_and_the_first_one_counts(client):
    first = client.description
    client.describe_again()
    assert client.description is first
    (fields,) = client.record.contradictions.values()
    assert fields == ["features without claims/attributes, claims/cpus"]


def test_more_of_a_target_share_what_it_said(client):
    beside = Client(InProcess(lambda: Moody(level="documented"), "moody"), client.record)
    ask(client, SMALL, 2)
    ask(beside, SMALL, 1)
    beside.close()
    assert client.outside == {"moody": ["t1-one-socket-smt2"]}
    assert list(client.record.contradictions.values()) == [["t1-one-socket-smt2"]]


def test_another_process_is_held_to_the_first_description():
    record = TargetRecord(
        msgspec.structs.replace(Moody(level="documented").describe(Describe()), kubernetes_version="1.30")
    )
    client = Client(InProcess(lambda: Moody(level="documented"), "moody"), record)
    client.close()
    assert client.description.kubernetes_version == "1.30"
    assert list(record.contradictions.values()) == [["kubernetes_version '1.37' in place of '1.30'"]]


def test_a_machine_may_be_supported_under_one_configuration_and_not_under_another():
    record, none, static = TargetRecord(), {"cpuManagerPolicy": "none"}, {"cpuManagerPolicy": "static"}
    record.answers(StartNode(SMALL, none), NodeStarted("0"))
    record.refuses(StartNode(SMALL, static), Unsupported("no static policy"))
    assert record.outside == {"no static policy": [SMALL["name"]]}
    assert record.contradictions == {}
    record.answers(StartNode(SMALL, static), NodeStarted("0"))
    assert list(record.contradictions.values()) == [[SMALL["name"]]]
