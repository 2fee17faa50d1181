"""What reads bytes of strangers: each takes any bytes, and raises nothing but what it says that it raises."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from numa_conformance.cli.explain import logged_hints
from numa_conformance.comparing.recorded import read_vectors, replay
from numa_conformance.cpuset import CpuSet
from numa_conformance.doctor.configuration import ROOT_DIR
from numa_conformance.doctor.state_files import open_node, read_state
from numa_conformance.doctor.tree import NodeTree
from numa_conformance.documents import read_documents
from numa_conformance.errors import NumaConformanceError, StartError, UsageError
from numa_conformance.judging.verdicts import judge_from_file
from numa_conformance.kube import KubeletConfiguration, Pod, Quantity, read_cluster, read_kubelet_configuration
from numa_conformance.machine import load_machine, machine_from_dict, machine_to_dict, read_machine_file
from numa_conformance.machine.hostfs import read_machine, write_tree
from numa_conformance.reference.managers.cpu.state_file import decode as decode_cpu
from numa_conformance.reference.managers.device.state_file import decode as decode_devices
from numa_conformance.reference.managers.memory.state_file import decode as decode_memory
from numa_conformance.reference.managers.state_file import PLAIN, CheckpointError, FileStyle
from numa_conformance.reference.simulation.questions import simulate
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.report.html import html_page
from numa_conformance.report.reading import read_report
from numa_conformance.report.writers import junit_xml, markdown_text
from numa_conformance.wire import Client, InProcess, TargetFault
from numa_conformance.wire.history.history import HistoryError, read_histories
from numa_conformance.wire.message import checked_reply
from numa_conformance.wire.messages import METHODS
from numa_conformance.wire.stdio import _result

from .clusters import OF_CLUSTERS

__all__ = ["READERS"]

NODE = load_machine("two-nodes-devices")
STYLES = (PLAIN, FileStyle(newest_first=True, pods=True), FileStyle(newest_first=True, envelope=True, pods=True))


_FOLDER = tempfile.TemporaryDirectory(prefix="numa-fuzz-")  # gone with this process


def folder() -> Path:
    """Return a folder of this process."""
    return Path(_FOLDER.name)


def as_file(data: bytes, name: str) -> Path:
    path = folder() / name
    path.write_bytes(data)
    return path


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def quantity(data: bytes) -> None:
    try:
        amount = Quantity.parse(data.decode("latin-1"))
    except UsageError:
        return
    if len(str(amount)) <= 64:  # a longer text is no quantity
        assert Quantity.parse(str(amount)) == amount, (data, str(amount))


def cpuset(data: bytes) -> None:
    text = data.decode("latin-1")
    for parse in (CpuSet.parse, CpuSet.parse_kernel):
        try:
            cpus = parse(text)
        except UsageError:
            continue
        assert CpuSet.parse(str(cpus)) == cpus, data


def documents(data: bytes) -> None:
    for name in ("d.yaml", "d.json"):
        try:
            read = read_documents(as_file(data, name))
        except UsageError:
            continue
        for document in read:
            for make in (Pod.from_dict, KubeletConfiguration.from_dict, machine_from_dict):
                try:
                    make(document.value)
                except UsageError:
                    continue


def texts(data: bytes) -> None:
    try:
        machine = read_machine_file(as_file(data, "pasted.txt"))
    except UsageError:
        return
    assert machine_from_dict(machine_to_dict(machine)) == machine, data


def lone_state(path: Path) -> None:
    with open_node(path) as root:
        read_state(NodeTree(root), ROOT_DIR, as_it_is=True)


def pasted(data: bytes) -> None:
    path = as_file(data, "pasted")
    for read in (read_kubelet_configuration, read_cluster, logged_hints, lone_state):
        try:
            read(path)
        except UsageError:
            continue


def checkpoints(data: bytes) -> None:
    text = text_of(data)
    decode_devices(text)
    for style in STYLES:
        for decode in (decode_cpu, decode_memory):
            try:
                decode(text, "static" if decode is decode_cpu else "Static", style)
            except CheckpointError:
                continue


def protocol(data: bytes) -> None:
    for method in METHODS.values():
        try:
            result = _result(data, 1, method.name, None)
            checked_reply(method, result)
        except TargetFault:
            continue


@cache
def reference() -> Client:
    return Client(InProcess(ReferenceTarget, "the reference"))


def records(data: bytes) -> None:
    try:
        for outcome in replay(reference(), read_vectors([as_file(data, "r.jsonl")])):
            assert outcome.status in ("matched", "differed", "unsupported")
    except UsageError:
        return


def reports(data: bytes) -> None:
    try:
        summary = read_report(as_file(data, "report.json"))
    except UsageError:
        return
    for render in (html_page, junit_xml, markdown_text):
        try:
            render(summary)
        except UsageError:  # of a Kubernetes version that is none
            continue


def histories(data: bytes) -> None:
    try:
        for history in read_histories(data.decode("utf-8", "replace").splitlines()):
            judge_from_file(history)
    except (HistoryError, UsageError):
        return


def lives(data: bytes) -> None:
    """Pods and steps between them; a configuration, a command line and a machine stand behind NUL bytes."""
    pods, config, flags, machine = (text_of(part) for part in (*data.split(b"\0", 3), b"", b"", b"")[:4])
    try:
        answer = simulate(f"{machine}\n" if machine else NODE, f"{config}\n", f"{pods}\n", flags=flags)
    except (UsageError, StartError):
        return
    assert answer.text
    assert answer.svg
    json.dumps(answer.data)


@cache
def tree() -> tuple[Path, tuple[Path, ...]]:
    """Return a host tree, and its files."""
    root = folder() / "tree"
    write_tree(load_machine("t3-two-numa-per-socket"), root)
    return root, tuple(sorted(path for path in root.rglob("*") if path.is_file()))


def sysfs(data: bytes) -> None:
    """Two bytes say which file has the rest as its content."""
    root, files = tree()
    path = files[int.from_bytes(data[:2], "big") % len(files)]
    before = path.read_bytes()
    path.write_bytes(data[2:])
    try:
        read_machine(root)
    except NumaConformanceError:
        return
    finally:
        path.write_bytes(before)


READERS: Mapping[str, Callable[[bytes], None]] = {
    "checkpoints": checkpoints,
    "cpuset": cpuset,
    "documents": documents,
    "histories": histories,
    "lives": lives,
    "pasted": pasted,
    "protocol": protocol,
    "quantity": quantity,
    "records": records,
    "reports": reports,
    "sysfs": sysfs,
    "texts": texts,
    **OF_CLUSTERS,
}
