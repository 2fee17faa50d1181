"""What reads bytes of strangers: each takes any bytes, raises what it says alone, and tells whether it read any."""

from __future__ import annotations

import json
import re
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
from numa_conformance.report.compare import Column, compare_reports, merge_reports
from numa_conformance.report.html import html_page, matrix_page
from numa_conformance.report.reading import read_report
from numa_conformance.report.writers import badge_svg, junit_xml, markdown_text, write_reports
from numa_conformance.wire import Client, InProcess, TargetFault
from numa_conformance.wire.history.history import HistoryError, read_histories
from numa_conformance.wire.message import checked_reply
from numa_conformance.wire.messages import METHODS
from numa_conformance.wire.stdio import _result

from .clusters import OF_CLUSTERS

__all__ = ["READERS"]

NODE = load_machine("two-nodes-devices")
STYLES = (PLAIN, FileStyle(newest_first=True, pods=True), FileStyle(newest_first=True, envelope=True, pods=True))


RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""What no page, badge or line may have."""
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


def quantity(data: bytes) -> bool:
    try:
        amount = Quantity.parse(data.decode("latin-1"))
    except UsageError:
        return False
    if len(str(amount)) <= 64:  # a longer text is no quantity
        assert Quantity.parse(str(amount)) == amount, (data, str(amount))
    return True


def cpuset(data: bytes) -> bool:
    text, read = data.decode("latin-1"), False
    for parse in (CpuSet.parse, CpuSet.parse_kernel):
        try:
            cpus = parse(text)
        except UsageError:
            continue
        assert CpuSet.parse(str(cpus)) == cpus, data
        read = True
    return read


def documents(data: bytes) -> bool:
    made = False
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
                made = True
    return made


def texts(data: bytes) -> bool:
    try:
        machine = read_machine_file(as_file(data, "pasted.txt"))
    except UsageError:
        return False
    assert machine_from_dict(machine_to_dict(machine)) == machine, data
    return True


def lone_state(path: Path) -> None:
    with open_node(path) as root:
        read_state(NodeTree(root), ROOT_DIR, as_it_is=True)


def pasted(data: bytes) -> bool:
    path, done = as_file(data, "pasted"), False
    for read in (read_kubelet_configuration, read_cluster, logged_hints, lone_state):
        try:
            read(path)
        except UsageError:
            continue
        done = True
    return done


def checkpoints(data: bytes) -> bool:
    text, read = text_of(data), False
    decode_devices(text)
    for style in STYLES:
        for decode in (decode_cpu, decode_memory):
            try:
                decode(text, "static" if decode is decode_cpu else "Static", style)
            except CheckpointError:
                continue
            read = True
    return read


def protocol(data: bytes) -> bool:
    read = False
    for method in METHODS.values():
        try:
            result = _result(data, 1, method.name, None)
            checked_reply(method, result)
        except TargetFault:
            continue
        read = True
    return read


@cache
def reference() -> Client:
    return Client(InProcess(ReferenceTarget, "the reference"))


def records(data: bytes) -> bool:
    try:
        for outcome in replay(reference(), read_vectors([as_file(data, "r.jsonl")])):
            assert outcome.status in ("matched", "differed", "unsupported")
    except UsageError:
        return False
    return True


def reports(data: bytes) -> bool:
    try:
        summary = read_report(as_file(data, "report.json"))
    except UsageError:
        return False
    write_reports(summary, folder() / "written")
    assert read_report(folder() / "written") == summary
    twice, names = [summary, summary], ["one", "other"]
    texts = [html_page(summary), badge_svg(summary), junit_xml(summary), markdown_text(summary)]
    texts += [matrix_page(list(map(Column, twice))), *compare_reports(*twice).lines()]
    assert not RAW.search("".join(texts))
    return bool(merge_reports(twice, names).verdict)


def histories(data: bytes) -> bool:
    try:
        for history in read_histories(data.decode("utf-8", "replace").splitlines()):
            judge_from_file(history)
    except (HistoryError, UsageError):
        return False
    return True


def lives(data: bytes) -> bool:
    """Pods and steps between them; a configuration, a command line and a machine stand behind NUL bytes."""
    pods, config, flags, machine = (text_of(part) for part in (*data.split(b"\0", 3), b"", b"", b"")[:4])
    try:
        answer = simulate(f"{machine}\n" if machine else NODE, f"{config}\n", f"{pods}\n", flags=flags)
    except (UsageError, StartError):
        return False
    assert answer.text
    assert answer.svg
    return bool(json.dumps(answer.data))


@cache
def tree() -> tuple[Path, tuple[Path, ...]]:
    """Return a host tree, and its files."""
    root = folder() / "tree"
    write_tree(load_machine("t3-two-numa-per-socket"), root)
    return root, tuple(sorted(path for path in root.rglob("*") if path.is_file()))


def sysfs(data: bytes) -> bool:
    """Two bytes say which file has the rest as its content."""
    root, files = tree()
    path = files[int.from_bytes(data[:2], "big") % len(files)]
    before = path.read_bytes()
    path.write_bytes(data[2:])
    try:
        read_machine(root)
    except NumaConformanceError:
        return False
    finally:
        path.write_bytes(before)
    return True


READERS: Mapping[str, Callable[[bytes], bool]] = {
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
