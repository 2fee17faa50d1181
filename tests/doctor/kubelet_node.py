"""A node with an unmodified kubelet, as a folder: ``kubelet_node.py KUBELET FOLDER``; no test itself.

The kubelet runs on a machine that is not there, with a container runtime that starts nothing; what it wrote, told and
asked of the runtime is laid out as a real node has it. Run apart, since it takes a mount namespace.
"""

import json
import sys
import time
from pathlib import Path

from fake_nodes import MEMORY, PODS, ROOT_DIR, STATIC, EmptyNode
from numa_conformance.doctor.collect import collect
from numa_conformance.doctor.findings import check
from numa_conformance.doctor.look import NodeSource, look
from numa_conformance.kube import Pod
from numa_conformance.lab.kubelet.target import KubeletTarget
from numa_conformance.machine import machine_to_dict
from numa_conformance.machine.hostfs.stores import STATE_FILES
from numa_conformance.wire.messages.node import AdmitPod, Admitted, RunPod, StartNode

KUBELET = {**STATIC, **MEMORY, "topologyManagerPolicy": "single-numa-node"}
SETTLED = 4.0
"""Seconds: the kubelet makes a pass of its reconcile loop each second."""


def findings(**asked: object) -> dict:
    found = check(look(NodeSource(**asked)))
    told = [[one.requirement, one.message, one.got, one.allowed] for one in found.findings]
    return {"findings": told, "notes": found.notes, "asked": dict(found.counts)}


def run(kubelet: str, root: Path) -> dict:
    node = EmptyNode(root / "node")
    target = KubeletTarget(kubelet)
    target.node_start(StartNode(machine=machine_to_dict(node.machine), kubelet=KUBELET))
    for one in PODS:
        assert isinstance(target.node_admit(AdmitPod(pod=one)), Admitted)
        target.node_run(RunPod(uid=one["metadata"]["uid"]))
    time.sleep(SETTLED)
    real = target._node
    for place in STATE_FILES.values():
        if (real.folder / place).exists():
            node.write(f"{ROOT_DIR}/{place}", (real.folder / place).read_text())
    head = {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration"}
    node.write(f"{ROOT_DIR}/config.yaml", json.dumps({**head, **KUBELET}))
    names = [pod["metadata"]["name"] for pod in real.kubelet.pods().values()]
    for known in real.pods.values():
        qos = str(Pod.from_dict(known.manifest).qos)
        (shown,) = (name for name in names if name.startswith(known.manifest["metadata"]["name"]))
        for name, made in real._runtime.containers_of(known.uid).items():
            given = made.resources
            quota = given.cpu_quota if given.cpu_quota > 0 else None
            node.put(shown, known.uid, qos, name, given.cpuset_cpus, given.cpuset_mems, quota)
    socket = str(real.folder / "pod-resources" / "kubelet.sock")
    told = {"clean": findings(root=node.root, pod_resources=socket)}
    collect(NodeSource(root=node.root, pod_resources=socket), root / "dump")
    told["dump"] = findings(root=root / "dump")
    node.write(f"{node.paths['db-uid', 'main']}/cpuset.cpus", "0-31\n")
    told["planted"] = findings(root=node.root)
    target.close()
    return told


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
