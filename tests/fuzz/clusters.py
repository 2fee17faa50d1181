"""What an API server, an exporter, a DRA driver or a link of the page may hold, as bytes."""

from __future__ import annotations

import importlib.util
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from numa_conformance.doctor.exporters import judge_exported, node_amounts
from numa_conformance.documents import Text
from numa_conformance.errors import UsageError
from numa_conformance.kube import KubeletConfiguration, NodeResourcesFitArgs, read_cluster, read_scheduler_configuration
from numa_conformance.lab.cluster.pods import MALFORMED, PodWatch, is_decided, refusal_of, scheduling_of
from numa_conformance.lab.dra.api_server import newest
from numa_conformance.lab.dra.objects import VERSIONS, read_slice, spec_of
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.fleet import Fleet, NodeGroup, NodeKind, fill_cluster
from numa_conformance.wire.history.answers import read_answer

__all__ = ["OF_CLUSTERS"]

MACHINE = load_machine("t3-two-numa-per-socket")
KUBELET = {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0", "topologyManagerPolicy": "restricted"}
MOST_NODES, MOST_PODS = 20, 100
"""What a fuzzed input may ask to be placed: more takes long, as it should."""


def cluster(data: bytes) -> bool:
    """Nodes, pods and workloads, placed on nodes with a machine; a scheduler's configuration stands behind NUL."""
    objects, _, scheduler = (part.decode("utf-8", "replace") for part in data.partition(b"\0"))
    try:
        read = read_cluster(Text("objects", objects))
        fits = [profile.fit for profile in read_scheduler_configuration(Text("scheduler", scheduler)).profiles]
    except UsageError:
        return False
    if len(read.nodes) > MOST_NODES or len(read.in_order) > MOST_PODS:
        return False
    fit = fits[0] if fits else NodeResourcesFitArgs.from_dict({})
    try:
        fleet = Fleet((NodeGroup("*", NodeKind(MACHINE, KubeletConfiguration.from_dict(KUBELET))),))
        run = fill_cluster(read, fleet, fit, seed=0)
    except UsageError:
        return False
    return bool(run.report)


@cache
def kept() -> Any:
    none = {"allocatable_cpus": "1-9", "held_cpus": "", "memory": None, "devices": {}}
    return node_amounts({"machine": machine_to_dict(MACHINE), "policy": "restricted", "scope": "pod", **none})


def exported(data: bytes) -> bool:
    """A NodeResourceTopology, as an API server answers it."""
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return False
    if not isinstance(answer, dict):
        return False
    faults = [str(fault) for fault in judge_exported(answer, kept())]
    return "the form of the API" not in "".join(faults)


class _Server:
    """Answers a list, and then events, a line each, until there are none."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines

    def ask(self, path: str) -> Any:
        return json.loads(self._lines[0])

    def watch(self, path: str) -> Iterator[dict[str, Any]]:
        yield from map(json.loads, self._lines[1:])


class _Watch(PodWatch):
    """Follows when it is asked to, in no thread."""

    def _run(self) -> None:
        return


def watched(data: bytes) -> bool:
    """A list of pods, and the events of a watch, a line each."""
    heard: list[Any] = []
    watch = _Watch(_Server(data.split(b"\n")), lambda kind, pod: heard.append(pod))  # type: ignore[arg-type]
    watch.follow()
    for pod in (*heard, *watch.pods()):
        with suppress(*MALFORMED):  # who asks for it is answered with a fault
            assert is_decided(pod) in (True, False)
            refusal_of(pod), scheduling_of(pod)
    return bool(heard)


def slices(data: bytes) -> bool:
    """A ResourceSlice, as a DRA driver writes it: a byte says in which version."""
    try:
        read = read_slice(data[1:], VERSIONS[(data[:1] or b"\0")[0] % len(VERSIONS)])
    except ValueError:
        return False
    return bool(read_answer("claims.start", {"result": "started", "slices": newest([spec_of(read), spec_of(read)])}))


@cache
def page() -> ModuleType:
    place = Path(__file__).parents[2] / "playground" / "ask.py"
    spec = importlib.util.spec_from_file_location("ask", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TEXTS = ("machineText", "version", "level", "config", "pods", "otherVersion", "otherConfig")
KNOWN = {"machine": "two-nodes-devices", "version": "1.37", "pods": ""}


def questions(data: bytes) -> bool:
    """The fields of a question, as the page finds them in a link, a NUL between them; packed or not."""
    if data[:1] == b"\x01":
        try:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data[1:], 1 << 20)
        except zlib.error:
            return False
    parts = (part.decode("utf-8", "replace") for part in data.split(b"\0"))
    question = {**KNOWN, **{name: text for name, text in zip(TEXTS, parts, strict=False) if text}}
    answer = json.loads(page().ask_json(json.dumps(question)))
    return "text" in answer


OF_CLUSTERS: Mapping[str, Callable[[bytes], bool]] = {
    "cluster": cluster,
    "exported": exported,
    "questions": questions,
    "slices": slices,
    "watched": watched,
}
