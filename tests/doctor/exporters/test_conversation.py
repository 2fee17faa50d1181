"""A conversation on a machine whose kubelet ends at the first pod, in a cluster that is none."""

from itertools import pairwise, product

import pytest

from numa_conformance.asking.generators.events import Event, pair_of
from numa_conformance.doctor.conversation import ExporterLook, KubeletEnd, converse
from numa_conformance.errors import Fault, UsageError
from numa_conformance.machine import load_machine, machine_to_dict

MACHINES = {"power": load_machine("ibm-power9-ac922"), "plain": load_machine("t3-two-numa-per-socket")}
KUBELET = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "topologyManagerPolicy": "best-effort"}


class Pretended:
    """Answers as a cluster of nodes without state; the kubelets of ``ending`` end when a pod comes."""

    def __init__(self, *ending):
        self.ending = ending
        self.ended = set()
        self.pods = {}

    def ask(self, verb, *words):
        return getattr(self, verb)(*words)

    def status(self):
        return {"nodes": [{"name": name, "process": int(name not in self.ended)} for name in MACHINES]}

    def plans(self):
        return {
            name: {"machine": machine_to_dict(machine), "kubelet": KUBELET, "version": "v1.37.1"}
            for name, machine in MACHINES.items()
        }

    def books(self, name):
        if name in self.ended:
            raise UsageError(Fault("", f"the kubelet of node {name!r} has ended: panic"))
        none = {"allocatable_cpus": "", "held_cpus": "", "memory": None, "devices": {}}
        return {"machine": machine_to_dict(MACHINES[name]), "policy": "none", "scope": "container", **none}

    def api(self, path, body, method):
        assert (body, method) == ("null", "GET")
        zones = [{"name": f"node-{node}", "type": "Node"} for node in MACHINES[path.rpartition("/")[2]].numa_ids]
        return {"zones": zones}

    def make(self, text):
        (name,) = (name for name in MACHINES if f'"nodeName": "{name}"' in text)
        if name in self.ending:
            self.ended.add(name)
        return {}

    def drop(self, *names):
        """Keep no pods."""

    def daemons(self):
        """Have no daemons."""


class Full(Pretended):
    """Refuses pods of four CPUs."""

    def make(self, text):
        return {"status": {"phase": "Failed"}} if '"cpu": "4"' in text else {}


KINDS = {"came": "come", "gone": "go", "refused": "refuse", "restarted": "restart", "first": "start"}
"""The last word of a step to its event."""
SAME = {("come", "go")}
"""What happens to one pod in turn: the name of a pod that comes, or is refused, is new, and it goes once."""


def event_of(step):
    return Event(KINDS[step.split()[-1]], step.split()[1] if step.startswith("pod ") else "")


def test_every_pair_of_events_comes_or_cannot():
    drawn = set()
    for seed in range(12):
        looks = [look for look in converse(Full(), ["plain"], 30, seed, 0) if isinstance(look, ExporterLook)]
        drawn |= {pair_of(*events) for events in pairwise(event_of(look.step) for look in looks)}
    pods = ("come", "go", "refuse")
    possible = {(*pair, "another") for pair in product(pods, repeat=2)} | {(*pair, "same") for pair in SAME}
    possible |= {("restart", each, "") for each in (*pods, "restart")} | {(each, "restart", "") for each in pods}
    at_first = {("start", each, "") for each in ("come", "refuse")}  # nothing runs yet
    assert drawn == possible | at_first


def test_a_kubelet_that_ends_is_told_with_the_quirk_that_foresees_it():
    told = list(converse(Pretended("power"), ["power", "plain"], 3, 1, 0))
    (ended,) = (one for one in told if isinstance(one, KubeletEnd))
    assert ended.node == "power"
    assert ended.step.startswith("pod exported-power-1 with cpu ")
    assert ended.why.startswith("the kubelet of node 'power' has ended: panic; foreseen by the reference: ")
    assert "quirk node-past-63-crashes" in ended.why
    assert [one.node for one in told if isinstance(one, ExporterLook)] == ["power", "plain", "plain", "plain", "plain"]


def test_an_end_that_the_reference_does_not_foresee_is_told_so():
    (ended,) = (one for one in converse(Pretended("plain"), ["plain"], 3, 1, 0) if isinstance(one, KubeletEnd))
    assert ended.why == "the kubelet of node 'plain' has ended: panic; not foreseen by the reference"


def test_what_a_living_node_does_not_answer_stays_an_error():
    class Refusing(Pretended):
        def make(self, text):
            raise UsageError(Fault("", "no pods today"))

    with pytest.raises(UsageError, match="no pods today"):
        list(converse(Refusing(), ["plain"], 1, 1, 0))
