"""An NRI plugin as it is, started on machines that are not there: right, and wrong in one way each."""

from __future__ import annotations

import pytest

from nri_plugins import TOLD, WRONG
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.cells import cells
from numa_conformance.asking.generators.walks import walks
from numa_conformance.asking.generators.workloads import best_effort, container, pod
from numa_conformance.errors import UsageError
from numa_conformance.lab.nri.target import NriTarget
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.connection import HostTrees
from numa_conformance.wire.messages.node import AdmitPod, ReadState, Rejected, StartFailed, StartNode

LIVES, STEPS = 2, 40


def unmet(*words: str) -> set[str]:
    """Ask a plugin about a few lives of one machine; returns what is not met."""
    target = NriTarget(words)
    client = Client(InProcess(lambda: target, "plugin"))
    machine = load_machine("snc2-small")
    try:
        lives = walks(cells(LIVES, client.features, only=[machine]), client.features, steps=STEPS)
        return set(Asking(lives, client, "1.36").spend().verdicts.unmet)
    finally:
        client.close()
        target.close()


def test_a_right_plugin_meets_all_that_is_asked(nri_plugin: str) -> None:
    assert unmet(nri_plugin, *TOLD) == set()


@pytest.mark.parametrize(("way", "broken"), WRONG.items())
def test_a_plugin_that_is_wrong_in_one_way_is_found(nri_plugin: str, way: str, broken: str) -> None:
    assert f"cpu-manager/{broken}" in unmet(nri_plugin, *TOLD, "-wrong", way)


def test_one_that_ends_is_told_with_its_last_words(nri_plugin: str) -> None:
    target, trees = NriTarget([nri_plugin, *TOLD[:4], "-reserved", "two"]), HostTrees()
    machine = machine_to_dict(load_machine("snc2-small"))
    configuration = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}
    started = target.node_start(StartNode(machine, configuration, host_root=trees.root_of(machine)))
    target.close()
    trees.close()
    assert isinstance(started, StartFailed)
    assert started.message.endswith('It said: strconv.Atoi: parsing "two": invalid syntax')


def test_nothing_is_asked_of_a_plugin_that_was_not_started(nri_plugin: str) -> None:
    target = NriTarget([nri_plugin, *TOLD])
    with pytest.raises(UsageError, match="no plugin was started"):
        target.node_state(ReadState())
    target.close()


def test_a_pod_that_is_refused_half_way_tells_what_was_sent_to_others(nri_plugin: str) -> None:
    target = NriTarget([nri_plugin, *TOLD])
    client = Client(InProcess(lambda: target, "plugin"))
    machine = machine_to_dict(load_machine("snc2-small"))
    client.ask(StartNode(machine, {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}))
    before = client.ask(AdmitPod(best_effort("shared"))).containers["c"].cpuset
    asks = pod("large", [container("some", cpu="2", memory="64Mi"), container("all", cpu="16", memory="64Mi")])
    refused = client.ask(AdmitPod(asks))
    client.close()
    target.close()
    assert isinstance(refused, Rejected)
    sent = [update.cpus for update in refused.updates or () if update.uid == "shared"]
    assert len(sent) >= 2
    assert sent[-1] == before != sent[0]
