"""A device plugin in a page: its devices are those of a JSON file, read again when that changes.

    python plugin.py FOLDER DEVICES.json

FOLDER is that of the kubelet's socket: `/var/lib/kubelet/device-plugins`, or the one that `numa-conformance
serve pod-resources` prints. DEVICES.json: `{"resource": "vendor.example/nic", "devices": {"nic-0": {"numa": [0]},
"nic-1": {"numa": [1], "healthy": false}}}`. Ends at SIGTERM or Ctrl-C.
"""

import json
import signal
import sys
import threading
from pathlib import Path

from numa_conformance.lab.kubelet_apis.interfaces import DEVICE_PLUGINS as V1BETA1
from numa_conformance.lab.kubelet_apis.interfaces import ask, serve, service

ENDPOINT = "example.sock"


def described(name, device):
    """A device as it is listed; without NUMA nodes it says nothing of its topology."""
    nodes = [V1BETA1.NUMANode(ID=node) for node in device.get("numa", [])]
    health = "Healthy" if device.get("healthy", True) else "Unhealthy"
    return V1BETA1.Device(ID=name, health=health, topology=V1BETA1.TopologyInfo(nodes=nodes) if nodes else None)


class Plugin:
    def __init__(self, folder, file):
        self.folder, self.file = folder, file
        self.changed = threading.Condition()
        self.text = ""
        self.stopped = False
        self.options = V1BETA1.DevicePluginOptions(get_preferred_allocation_available=True)
        self.server = None

    def start(self):
        """Serve, and then register: the kubelet calls back before it answers."""
        methods = {
            "GetDevicePluginOptions": lambda request, context: self.options,
            "ListAndWatch": self.list,
            "GetPreferredAllocation": self.prefer,
            "Allocate": self.allocate,
        }
        takes = {"GetDevicePluginOptions": "Empty", "ListAndWatch": "Empty"}
        self.server = serve(str(self.folder / ENDPOINT), service(V1BETA1, "DevicePlugin", methods, takes))
        resource = json.loads(self.file.read_text())["resource"]
        request = V1BETA1.RegisterRequest(
            version="v1beta1", endpoint=ENDPOINT, resource_name=resource, options=self.options
        )
        ask(str(self.folder / "kubelet.sock"), V1BETA1, "Registration/Register", request, "Empty")
        print(f"registered {resource}", flush=True)

    def keep_up(self):
        """Serve again after a restart of the kubelet, which removes our socket; pass on what changed in the file."""
        if not (self.folder / ENDPOINT).exists() and (self.folder / "kubelet.sock").exists():
            self.stop()
            self.stopped = False
            self.start()
        with self.changed:
            if (text := self.file.read_text()) != self.text:
                self.text = text
                self.changed.notify_all()

    def stop(self):
        with self.changed:
            self.stopped = True
            self.changed.notify_all()
        if self.server is not None:
            self.server.stop(1).wait()

    def list(self, request, context):
        """All devices, and all of them again whenever one has changed."""
        sent = None
        while context.is_active() and not self.stopped:
            with self.changed:
                if (text := self.text) == sent:
                    self.changed.wait(1)
                    continue
            sent = text
            listed = json.loads(sent)["devices"].items()
            yield V1BETA1.ListAndWatchResponse(devices=[described(name, device) for name, device in listed])

    def prefer(self, request, context):
        """The highest ids, with those that must be among them."""
        chosen = []
        for container in request.container_requests:
            must = list(container.must_include_deviceIDs)
            others = sorted(set(container.available_deviceIDs) - set(must), reverse=True)
            ids = [*must, *others][: container.allocation_size]
            chosen.append(V1BETA1.ContainerPreferredAllocationResponse(deviceIDs=ids))
        return V1BETA1.PreferredAllocationResponse(container_responses=chosen)

    def allocate(self, request, context):
        answers = []
        for container in request.container_requests:
            print(f"allocated {', '.join(container.devices_ids)}", flush=True)
            answers.append(V1BETA1.ContainerAllocateResponse(envs={"DEVICES": ",".join(container.devices_ids)}))
        return V1BETA1.AllocateResponse(container_responses=answers)


def main():
    folder, file = map(Path, sys.argv[1:])
    end = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: end.set())
    plugin = Plugin(folder, file)
    plugin.text = file.read_text()
    plugin.start()
    while not end.wait(0.2):
        plugin.keep_up()
    plugin.stop()


if __name__ == "__main__":
    main()
