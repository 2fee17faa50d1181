"""A DRA driver in a page, for tests: ``python driver.py KUBECONFIG KUBELET_FOLDER CDI_FOLDER HOST_ROOT [WAY]``.

It publishes a device for each NUMA node. WAY is how it is wrong: ``keeps``, ``forgets``, ``no-cdi``,
``tells-nothing``, ``other-type``.
"""

import contextlib
import json
import signal
import sys
import threading
import urllib.request
from pathlib import Path

from numa_conformance.cpuset import CpuSet
from numa_conformance.lab.kubelet_apis.interfaces import DRA, REGISTRATION, serve, service

NAME = "cpu.test"
CAPACITY = f"{NAME}/cpu"


class Driver:
    def __init__(self, kubeconfig, kubelet, cdi, host, way=""):
        self.url = json.loads(Path(kubeconfig).read_text())["clusters"][0]["cluster"]["server"]
        self.kubelet, self.cdi, self.way = Path(kubelet), Path(cdi), way
        nodes = sorted(Path(host, "sys/devices/system/node").glob("node[0-9]*"))
        self.nodes = {node.name: CpuSet.parse((node / "cpulist").read_text().strip()) for node in nodes}
        self.file = self.kubelet / "plugins" / "claims.json"
        self.held = {}
        if way != "forgets":
            with contextlib.suppress(FileNotFoundError):
                self.held = json.loads(self.file.read_text())

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/apis/resource.k8s.io/v1/{path}", data, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def start(self):
        calls = {"NodePrepareResources": self.prepare, "NodeUnprepareResources": self.unprepare}
        endpoint = self.kubelet / "plugins" / "dra.sock"
        endpoint.unlink(missing_ok=True)
        self.plugin = serve(str(endpoint), service(DRA, "DRAPlugin", calls))
        info = REGISTRATION.PluginInfo(
            type="CSIPlugin" if self.way == "other-type" else "DRAPlugin",
            name=NAME,
            endpoint=str(endpoint),
            supported_versions=["v1.DRAPlugin"],
        )
        told = {
            "GetInfo": lambda request, context: info,
            "NotifyRegistrationStatus": lambda request, context: REGISTRATION.Empty(),
        }
        takes = {"GetInfo": "Empty", "NotifyRegistrationStatus": "RegistrationStatus"}
        socket = self.kubelet / "plugins_registry" / "cpu.sock"
        socket.unlink(missing_ok=True)
        self.registrar = serve(str(socket), service(REGISTRATION, "Registration", told, takes))
        devices = [
            {
                "name": name,
                "attributes": {"resource.kubernetes.io/numaNode": {"int": int(name[len("node") :])}},
                "capacity": {CAPACITY: {"value": str(len(cpus))}},
                "allowMultipleAllocations": True,
            }
            for name, cpus in self.nodes.items()
            if cpus
        ]
        pool = {"name": "here", "generation": 1, "resourceSliceCount": 1}
        spec = {"driver": NAME, "nodeName": "here", "pool": pool, "devices": devices}
        self.ask("POST", "resourceslices", {"metadata": {"generateName": "s-"}, "spec": spec})

    def prepare(self, request, context):
        response = DRA.NodePrepareResourcesResponse()
        for claim in request.claims:
            prepared = response.claims.add(key=claim.uid).value
            try:
                self.give(claim)
            except ValueError as error:
                prepared.error = str(error)
            else:
                prepared.devices.add(pool_name="here", device_name="d", cdi_device_ids=[f"{NAME}/set={claim.uid}"])
        return response

    def give(self, claim):
        known = self.ask("GET", f"namespaces/{claim.namespace}/resourceclaims/{claim.name}")
        if [each["resource"] for each in known["status"].get("reservedFor", ())] != ["pods"]:
            raise ValueError("the claim is not reserved for one pod")
        given = CpuSet.parse(self.held.get(claim.uid, ""))
        results = [each for each in known["status"]["allocation"]["devices"]["results"] if each["driver"] == NAME]
        for result in () if given else results:
            count = int(result["consumedCapacity"][CAPACITY])
            taken = [id for text in self.held.values() for id in CpuSet.parse(text)]
            free = list(self.nodes[result["device"]] - CpuSet(taken) - given)
            if len(free) < count:
                raise ValueError(f"{len(free)} CPUs are free, not {count}")
            given |= CpuSet(free[:count])
        self.hold(claim.uid, str(given))

    def hold(self, uid, cpus):
        self.held[uid], variable = cpus, "DEVICES" if self.way == "tells-nothing" else "CPUSET"
        self.file.write_text(json.dumps(self.held))
        device = {"name": uid, "containerEdits": {"env": [f"{variable}_{uid}={cpus}"]}}
        if self.way != "no-cdi":
            spec = {"cdiVersion": "0.6.0", "kind": f"{NAME}/set", "devices": [device]}
            (self.cdi / f"{uid}.json").write_text(json.dumps(spec))

    def unprepare(self, request, context):
        response = DRA.NodeUnprepareResourcesResponse()
        for claim in request.claims:
            response.claims.add(key=claim.uid).value.SetInParent()
            if self.way != "keeps":
                self.held.pop(claim.uid, None)
                self.file.write_text(json.dumps(self.held))
        return response


if __name__ == "__main__":
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    Driver(*sys.argv[1:]).start()
    ended.wait()
