"""Ask an unmodified kubelet what ``doors.py`` asks, and the reference the same, and keep what differs.

    python go/kubelet/whole.py ./kubelet [--count 1000] [--seed 7]

Each pod is a question, those of a node one after the other: what it holds then is what it has admitted. The kubelet
runs on a machine that is not there (``numa_conformance.lab``), and is told of pods by a server of a few objects. That
one completes pods as an API server does, keeps what the kubelet says of them, and refuses nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

from doors import started, tell
from node_server import FILES, SOURCE, ApiServer, completed
from odd_doors import odd_doors

from numa_conformance.errors import StartError, UsageError
from numa_conformance.kube import Pod
from numa_conformance.kube.quantity import Quantity
from numa_conformance.lab.kubelet.device_plugin import plugins_of
from numa_conformance.lab.kubelet.launcher import HOME, Launcher
from numa_conformance.lab.kubelet.process import RunningKubelet, configuration
from numa_conformance.lab.kubelet.runtime import FakeRuntime
from numa_conformance.lab.kubelet.target import Workshop
from numa_conformance.machine import Machine, machine_from_dict, machine_to_dict
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks

Json = dict[str, Any]
SECONDS = 60.0
"""How long an answer may take on a busy machine."""
MORE = 8
"""Pods of a question that come after its last: a node takes longer to start than to decide."""
LIVES = 0.25
"""The share of questions about pods that is asked: each has many, and a start is one."""
JOINS = {
    "registerNode": True,
    "contentType": "application/json",
    "nodeStatusUpdateFrequency": "1s",
    "eventRecordQPS": 0,
    "kubeAPIQPS": 1000,
    "kubeAPIBurst": 1000,
}
"""What the configuration of a kubelet has besides, which joins the server."""
NO_STORAGE = {"ephemeral-storage": 0}
"""Such a kubelet looks at no disk."""


class Launching:
    """A launcher of kubelets that join the server: their flags and files have it too."""

    def __init__(self, launcher: Launcher, address: str) -> None:
        """Take what starts kubelets, and where the server is."""
        self._launcher, self._address = launcher, address
        self.has_ended, self.end = launcher.has_ended, launcher.end

    def start(self, machine: Json, node: Path, binary: str, flags: Sequence[str]) -> int:
        """Start a kubelet that registers."""
        file = node / "config.yaml"
        file.write_text(json.dumps({**json.loads(file.read_text()), **JOINS}))
        cluster = {"name": "c", "cluster": {"server": self._address}}
        context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
        config = {"apiVersion": "v1", "kind": "Config", "clusters": [cluster], "contexts": [context]}
        config |= {"users": [{"name": "u", "user": {}}], "current-context": "c"}
        (node / "kubeconfig").write_text(json.dumps(config))
        return self._launcher.start(machine, node, binary, [*flags, f"--kubeconfig={HOME}/kubeconfig"])


class WholeNode:
    """A node with an unmodified kubelet; raises ``StartError`` where that does not start."""

    def __init__(
        self,
        launcher: Launcher,
        binary: str,
        folder: Path,
        machine: Machine,
        config: Json,
        node: Mapping[str, Any],
        *,
        tells_allocated: bool,
    ) -> None:
        """Bring it up; ``tells_allocated``: the status of its pods tells what they were given."""
        self._tells_allocated = tells_allocated
        for name in ("manifests", "device-plugins", "logs"):
            (folder / name).mkdir(parents=True)
        self._folder = folder
        self.server = ApiServer(node)
        self._init: set[tuple[str, str]] = set()
        self._stopped: list[str] = []
        self._runtime = FakeRuntime(
            folder,
            lambda uid, name: (uid, name) in self._init,
            lambda uid: True,
            stopped=lambda uid: None if uid in self._stopped else self._stopped.append(uid),
        )
        self._plugins = plugins_of(machine, str(folder / "device-plugins"))
        self._kubelet: RunningKubelet | None = None
        try:
            launching: Any = Launching(launcher, self.server.address)
            self._kubelet = RunningKubelet(launching, binary, folder, machine_to_dict(machine), config)
            for plugin in self._plugins:
                plugin.register()
            healthy: dict[str, int] = {device.resource: 0 for device in machine.devices}
            for device in machine.devices:
                healthy[device.resource] += device.healthy
            self._until(lambda: self._offers(healthy), "the node offers its devices")
        except BaseException:
            self.close()
            raise

    def _offers(self, healthy: Mapping[str, int]) -> bool:
        status = self.server.node.get("status", {})
        ready = any(each["type"] == "Ready" and each["status"] == "True" for each in status.get("conditions") or ())
        offered = status.get("allocatable", {})
        return ready and all(offered.get(resource) == str(count) for resource, count in healthy.items())

    @property
    def allocatable(self) -> dict[str, int]:
        """What the node says that pods may use: millicores, bytes, or a number."""
        amounts = {name: Quantity.parse(amount) for name, amount in self.server.node["status"]["allocatable"].items()}
        return {name: amount.milli if name == "cpu" else amount.value for name, amount in amounts.items()} | NO_STORAGE

    def close(self) -> None:
        """End the kubelet and what serves it."""
        if self._kubelet is not None:
            self._kubelet.stop()
        for plugin in self._plugins:
            plugin.close()
        self._runtime.close()
        self.server.close()

    def admit(self, pod: Json) -> tuple[str | None, str | None, list[str]]:
        """Give the kubelet a pod; return reason and message of a refusal, and the pods that ended for it."""
        stored = completed(pod)
        metadata = stored["metadata"]
        for each in stored["spec"].get("initContainers") or ():
            if each.get("restartPolicy") != "Always":
                self._init.add((metadata["uid"], each["name"]))
        self._stopped.clear()
        is_static = metadata.get("annotations", {}).get(SOURCE) in FILES
        if is_static:
            file = self._folder / "manifests" / f"{metadata['name']}.json"
            draft = self._folder / file.name
            draft.write_text(json.dumps(stored))
            draft.rename(file)
        else:
            self.server.put("pods", stored)
        refusal = self._refusal(metadata["uid"])
        ended = [uid for uid in self._stopped if uid != metadata["uid"]]
        for uid in ended:
            self._until(lambda uid=uid: self._gone(uid), f"{uid} ends")
        if refusal is None:
            self._await_status(stored, is_static=is_static)
            return None, None, ended
        if is_static:
            file.unlink()
        else:
            self.server.put("pods", self.server.pod(metadata["name"]), "DELETED")
        uid = metadata["uid"]
        self._until(lambda: uid not in self._kubelet_pods(), f"{uid} goes")
        return *refusal, ended

    def _await_status(self, pod: Json, *, is_static: bool) -> None:
        """Wait until a status tells what a pod was given: the kubelet adds it up for the next pod."""
        uid = pod["metadata"]["uid"]
        if pod["spec"].get("overhead") and self._tells_allocated and not is_static:
            self._until(lambda: "allocatedResources" in self.server.pod(uid).get("status", {}), f"{uid} has a status")

    def _gone(self, uid: str) -> bool:
        """Take a pod that has ended off the server, and tell whether the kubelet has let go of it; names are uids."""
        (self._folder / "manifests" / f"{uid}.json").unlink(missing_ok=True)
        has_ended = self.server.pod(uid).get("status", {}).get("phase") in ("Failed", "Succeeded")
        if self.server.pod(uid) and (has_ended or self.server.warnings.get(uid, ("",))[0] == "Preempting"):
            self.server.put("pods", self.server.pod(uid), "DELETED")
        return uid not in self._kubelet_pods()

    def _kubelet_pods(self) -> Json:
        assert self._kubelet is not None
        return self._kubelet.pods()

    def _refusal(self, uid: str) -> tuple[str, str] | None:
        """Wait until a pod is admitted or refused, of which an event tells before its status does."""
        self._until(lambda: uid in self.server.warnings or self._runtime.sandboxes_of(uid) > 0, f"{uid} is decided")
        return None if self._runtime.sandboxes_of(uid) else self.server.warnings[uid]

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + SECONDS
        while not holds():
            assert self._kubelet is not None
            self._kubelet.check()
            if time.monotonic() > end:
                raise TimeoutError(
                    f"not yet: {what}. {json.dumps(self.server.pods)} The kubelet: {self._kubelet.log[-3000:]}"
                )
            with self._runtime.changed:
                self._runtime.changed.wait(0.02)


def plain(question: Json) -> Iterator[Json]:
    """Yield the pods of a question, those on the node first, as this server can have them.

    Mirror pods are a kubelet's own, and the resources of a pod as a whole an API server completes.
    """
    for pod in (*question["pods"], question["pod"], *question["more"]):
        made = deepcopy(pod)
        made["spec"].pop("resources", None)
        if made["metadata"].get("annotations", {}).get(SOURCE) not in FILES:
            made["metadata"].pop("annotations", None)
        yield made


def ask_both(shop: Workshop, questions: Iterable[tuple[str, Json]]) -> Iterator[tuple[str, Json, Json, Json]]:
    """Yield the kind of each question, the question, and the answers of the kubelet and of the reference."""
    for kind, drawn in questions:
        drawn["configuration"].pop("memorySwap", None)  # says something of the computer that this runs on
        config = {**configuration(drawn["configuration"], HOME, 0), **JOINS}
        asked = {**drawn, "configuration": config, "storage": 0, "node": _registered(drawn)}
        reference, node = started(asked, shop.version, Quirks.of(shop.version))
        machine = machine_from_dict({**drawn["machine"], "name": "odd"})
        try:
            real = WholeNode(
                shop._launcher,
                shop._binary,
                shop.folder(),
                machine,
                drawn["configuration"],
                asked["node"],
                tells_allocated=node is not None and node.gates.enabled("InPlacePodLevelResourcesVerticalScaling"),
            )
        except StartError as error:
            yield kind, asked, {"fails": error.message}, reference
            continue
        try:
            up = {"strict": reference.get("strict"), "allocatable": real.allocatable}
            if node is None or "pod" not in asked:
                yield kind, asked, up, reference
            else:
                for pod, kubelet, expected in _life(asked, real, node):
                    there = [other.raw for other in node.pods.values()]
                    yield kind, {**asked, "pods": there, "pod": pod}, up | kubelet, reference | expected
        finally:
            real.close()


def _registered(question: Json) -> Json:
    """Return the node of a question as a kubelet registers it: under no pressure, its runtime without features."""
    node = {"metadata": {"name": "node"}, **question.get("node", {})}
    return {**node, "status": {"features": {"supplementalGroupsPolicy": False}}}


def _life(asked: Json, real: WholeNode, node: Node) -> Iterator[tuple[Json, Json, Json]]:
    """Yield each pod that an API server lets pass, and what both say of it; those that they admit stay."""
    for pod in plain(asked):
        try:
            read = Pod.from_dict(completed(pod))
        except UsageError:
            continue
        others = list(node.pods.values())
        reason, message, ended = real.admit(pod)
        short = [each.refusal.message for each in node.chain._fit.shortages(read, others)]
        expected = node.admit(read)
        refused = {"reason": reason, "message": message} if reason else {}
        refusal = {"reason": expected.reason, "message": expected.message} if expected.reason else {}
        yield pod, {"ended": ended, **refused}, {"ended": [*expected.preempted], "also": short, **refusal}
        if bool(reason) != bool(expected.reason) or sorted(ended) != sorted(expected.preempted):
            return  # from here on they would not be asked the same


def main(words: list[str]) -> int:
    """Ask a kubelet, and tell how many questions of each kind differ, and how; returns 1 where one does."""
    parser = argparse.ArgumentParser(prog="whole", allow_abbrev=False)
    parser.add_argument("kubelet")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=date.today().toordinal())
    options = parser.parse_args(words)
    try:
        shop = Workshop(options.kubelet)
    except (StartError, UsageError) as error:
        print(error, file=sys.stderr)
        return 2
    lot = random.Random(f"whole {options.seed}")
    questions = (each for each in odd_doors(lot, shop.version, MORE) if each[0] == "start" or lot.random() < LIVES)
    answers = islice(ask_both(shop, questions), options.count)
    file = Path(f"{options.kubelet}-whole-{options.seed}.jsonl").absolute()
    return tell(f"kubelet {shop.version}", answers, file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
