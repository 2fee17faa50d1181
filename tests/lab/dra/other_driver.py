"""A DRA driver of memory, or of network devices: ``other_driver.py KUBECONFIG KUBELET CDI HOST_ROOT KIND [WAY]``.

KIND is ``memory`` (shared devices of a capacity) or ``nics`` (whole ones without any). WAY is how it is wrong:
``renames`` devices at each start, ``keeps`` what is unprepared, ``counts`` NUMA nodes, ``refuses`` what it has.
"""

import json
import secrets
import signal
import sys
import threading

from driver import NAME, Driver

SIZE = f"{NAME}/size"


class OtherDriver(Driver):
    def __init__(self, kubeconfig, kubelet, cdi, host, kind, way=""):
        super().__init__(kubeconfig, kubelet, cdi, host, way)
        self.has_amounts = kind == "memory"

    def ask(self, method, path, body=None):
        if method == "POST":
            body["spec"]["devices"] = list(self.devices())
        return super().ask(method, path, body)

    def devices(self):
        for number, name in enumerate(self.nodes):
            node = number if self.way == "counts" else int(name[len("node") :])
            device = {"name": name, "attributes": {"resource.kubernetes.io/numaNode": {"int": node}}}
            if self.way == "renames":
                device["name"] += f"-{secrets.token_hex(3)}"
            if self.has_amounts:
                amount = {"value": "8Gi", "requestPolicy": {"default": "2Gi", "validRange": {"min": "1Gi"}}}
                device |= {"capacity": {SIZE: amount}, "allowMultipleAllocations": True}
            yield device

    def give(self, claim):
        known = self.ask("GET", f"namespaces/{claim.namespace}/resourceclaims/{claim.name}")
        if [each["resource"] for each in known["status"].get("reservedFor", ())] != ["pods"]:
            raise ValueError("the claim is not reserved for one pod")
        if claim.uid in self.held:
            if self.way == "refuses":
                raise ValueError("the claim is prepared already")
            return
        wanted = {
            each["device"]: int(each["consumedCapacity"][SIZE]) >> 30 if self.has_amounts else 8
            for each in known["status"]["allocation"]["devices"]["results"]
            if each["driver"] == NAME
        }
        for device, size in wanted.items():
            taken = sum(json.loads(text).get(device, 0) for text in self.held.values())
            if taken + size > 8:
                raise ValueError(f"{device} has {8 - taken} left, not {size}")
        self.hold(claim.uid, json.dumps(wanted))

    def hold(self, uid, text):
        self.held[uid] = text
        self.file.write_text(json.dumps(self.held))
        device = {"name": uid, "containerEdits": {"env": [f"DEVICES_{uid}={text}"]}}
        spec = {"cdiVersion": "0.6.0", "kind": f"{NAME}/set", "devices": [device]}
        (self.cdi / f"{uid}.json").write_text(json.dumps(spec))


if __name__ == "__main__":
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    OtherDriver(*sys.argv[1:]).start()
    ended.wait()
