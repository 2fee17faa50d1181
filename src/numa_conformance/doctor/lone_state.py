"""State files without a tree: one of them, a text in which several were pasted, or a folder with nothing else."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import Fault, UsageError
from ..files import read_bounded
from ..kube.resource_names import page_bytes
from ..machine import Machine
from ..machine.hostfs import open_dump
from ..machine.hostfs.dumps import is_dump
from ..machine.hostfs.kubelet_root import STATE_FILES
from ..pasted import plain_lines
from ..reference.managers.cpu.state_file import CPU_FILE
from ..reference.managers.device.state_file import DEVICE_FILE
from ..reference.managers.memory.memory_state import NodeMemory
from ..reference.managers.memory.state_file import MEMORY_FILE
from .configuration import ROOT_DIR
from .tree import MAX_STATE

_MEMBERS = {MEMORY_FILE: "machineState", CPU_FILE: "defaultCpuSet", DEVICE_FILE: "Data"}
"""What each file has and no other."""
_ACCEPTED = f"a dump of a node, or the text of {', '.join(_MEMBERS)}"


@contextmanager
def open_node(path: Path, *, whole: bool = False) -> Iterator[Path]:
    """Yield the root of a dump (``open_dump``), or of a folder in which state files lie as on a node.

    Raises ``UsageError`` for a file that is neither.
    """
    with ExitStack() as stack:
        texts = {}
        for file in _files(path):
            texts.update(_state_texts(read_bounded(file, MAX_STATE).decode("utf-8", "replace"), str(file)))
        if texts:
            root = Path(stack.enter_context(TemporaryDirectory(prefix="numa-conformance-")))
            for name, text in texts.items():
                place = root / ROOT_DIR.strip("/") / STATE_FILES[name]
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            try:
                yield root
            except UsageError as error:  # the folder is none that a person knows
                faults = (replace(fault, place=fault.place.replace(str(root), str(path))) for fault in error.faults)
                raise UsageError(faults) from error
        else:
            yield stack.enter_context(open_dump(path, whole=whole))


def memory_of_state(machine: Machine, nodes: Mapping[int, NodeMemory]) -> Machine:
    """Return a machine with the memory and the huge pages that a state file names; as it is where nodes are others."""
    if {node.node for node in machine.memory} != nodes.keys():
        return machine
    memory = []
    for node in machine.memory:
        totals = {name.removeprefix("hugepages-"): table.total for name, table in nodes[node.node].tables.items()}
        amount = totals.pop("memory", None)
        pages = {size: total // page_bytes(size) for size, total in totals.items()}
        memory.append(replace(node, memory=amount, hugepages=pages))
    return replace(machine, memory=tuple(memory))


def _files(path: Path) -> list[Path]:
    if is_dump(path):
        return [] if (path / "sys").exists() else [path / name for name in STATE_FILES if (path / name).is_file()]
    return [path] if path.is_file() else []


def _state_texts(content: str, place: str) -> dict[str, str]:
    """Return the state files that a text has, by name."""
    text, texts, end = (
        re.sub(r"[ \t]//[^\"\n]*$", "", plain_lines(content), flags=re.M),
        dict[str, str](),
        0,
    )  # no remarks
    while (start := text.find("{", end)) >= 0:
        try:
            document, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            raise UsageError(Fault(place, f"is no state file: {error}", _ACCEPTED)) from error
        name = next((name for name, member in _MEMBERS.items() if member in document), None)
        if name is None or name in texts:
            wrong = "what is no state file" if name is None else f"{name} twice"
            raise UsageError(Fault(place, f"holds {wrong}", _ACCEPTED))
        texts[name] = text[start:end]
    if not texts:
        raise UsageError(Fault(place, "is no state file", _ACCEPTED))
    return texts
