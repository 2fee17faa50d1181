"""What an unmodified kubelet detects on every machine of the catalogue, against our view of each."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from kubelets import PATHS, needs_kubelet, needs_namespaces
from numa_conformance.machine import catalogue_names, derive_view, load_machine

pytestmark = [needs_namespaces, needs_kubelet]

DETECT = r"""
import json, re, sys
from numa_conformance.machine import catalogue_names, load_machine, machine_to_dict
from numa_conformance.wire.messages.node import StartNode
from numa_conformance.lab.kubelet.target import KubeletTarget

target = KubeletTarget(sys.argv[1])
for name in catalogue_names():
    machine = load_machine(name)
    config = {"cpuManagerPolicy": "static", "reservedSystemCPUs": str(machine.cpus[0].id)}  # none detects in silence
    target.node_start(StartNode(machine_to_dict(machine), config))
    log = target._node.kubelet.log if target._node else ""
    found = re.search(r'"Detected CPU topology".*?topology=&?({.*})$', log, re.MULTILINE)
    text = found[1] if found else "null"
    if text.startswith("{Num"):  # as Go prints a struct: kubelets of 1.27
        text = re.sub(r"(\w+):", r'"\1":', text).replace("map[", "{").replace("]", "}").replace(" ", ", ")
    print(name, text, flush=True)
target.close()
"""


@pytest.fixture(scope="module", params=PATHS or [""], ids=lambda path: path.rpartition("/")[2])
def detected(request):
    words = [sys.executable, "-c", DETECT, request.param]
    lines = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return {name: json.loads(topology) for name, topology in (line.split(" ", 1) for line in lines)}


@pytest.mark.parametrize("name", catalogue_names())
def test_it_comes_up_and_sees_our_view_of_the_machine(detected, name):
    # Ids that a machine of recorded decisions has as its node agent reported them are caches here, as in files.
    view, seen = derive_view(replace(load_machine(name), uncore_source="hardware")), detected[name]
    assert seen is not None, "it does not come up"
    totals = {"NumCPUs": view.num_cpus, "NumCores": view.num_cores, "NumSockets": view.num_sockets}
    assert {key: seen[key] for key in totals} == totals
    assert {
        int(cpu): (one["NUMANodeID"], one["SocketID"], one["CoreID"]) for cpu, one in seen["CPUDetails"].items()
    } == {row.id: (row.numa, row.socket, row.core) for row in view.cpus}
    if any("UncoreCacheID" in one for one in seen["CPUDetails"].values()):
        assert {int(cpu): one["UncoreCacheID"] for cpu, one in seen["CPUDetails"].items()} == {
            row.id: row.uncore for row in view.cpus
        }
