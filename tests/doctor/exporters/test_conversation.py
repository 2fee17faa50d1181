"""A conversation on a machine whose kubelet ends at the first pod, in a cluster that is none."""

import pytest

from numa_conformance.doctor.exporters import ExporterLook, KubeletEnd, converse
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

    def kept(self, name):
        if name in self.ended:
            raise UsageError(Fault("", f"the kubelet of node {name!r} has ended: panic"))
        none = {"allocatable_cpus": "", "held_cpus": "", "memory": None, "devices": {}}
        return {"machine": machine_to_dict(MACHINES[name]), "policy": "none", "scope": "container", **none}

    def exported(self, name):
        zones = [{"name": f"node-{node}", "type": "Node"} for node in MACHINES[name].numa_ids]
        return {"zones": zones}

    def make(self, text):
        (name,) = (name for name in MACHINES if f'"nodeName": "{name}"' in text)
        if name in self.ending:
            self.ended.add(name)
        return {}

    def drop(self, *names):
        """Keep no pods."""


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
