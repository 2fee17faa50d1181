"""Golden texts: what the kubelet answers, or what a target of one's own answered before its policy changed."""

import difflib
import glob
import re
from pathlib import Path

from ...cpuset import CpuSet
from ...files import write_text
from ...machine import load_machine
from ...machine.picture import PlacementMap
from ...sources.versions import KubernetesVersion
from ...wire.messages.node import Admitted, StartFailed
from ..generators.workloads import burstable, guaranteed, static
from .node_run import NodeRun, cpus_of, pool_of


class Golden:
    """A golden text in a folder: one file per case, for people to read and to review.

    ``CASE.txt`` holds in every version; where older ones place otherwise, ``CASE until 1.33.txt`` beside it tells how.
    A target's own is called by the parameters of the case, and begins with whose policy it holds.
    """

    def __init__(
        self, folder: Path, case: str, version: KubernetesVersion, *, update: bool = False, policy: str = ""
    ) -> None:
        """Take the folder, the running case and its version, and whether its text is to be replaced.

        ``policy``: the target whose own policy the folder holds; "" where it is the kubelet's.
        """
        file, _, test = case.partition("::")
        name = Path(file).name
        if policy:
            name, test = name.removeprefix("test_"), test.partition("[")[2].removesuffix("]") or test
        self._path = _path(folder / name, re.sub(r"[^\w\-\[\]. ]", "_", test), version)
        self._update = update
        self.policy = policy

    @property
    def named(self) -> str:
        """Whose texts they are, in words."""
        return f"the snapshots of {self.policy} (--numa-snapshot-update accepts)" if self.policy else "the golden ones"

    def difference(self, text: str) -> str | None:
        """Compare with the file, or replace it; return how ``text`` differs, in lines marked + and -."""
        if self.policy:
            text = f"policy of {self.policy}\n{text}"
        if self._update:
            write_text(self._path, text)
            return None
        if not self._path.exists():
            return f"there is no golden text {self._path.name}; --numa-snapshot-update writes it"
        before = self._path.read_text(encoding="utf-8")
        if before == text:
            return None
        sides, name = (before.splitlines(), text.splitlines()), "before" if self.policy else "kubelet"
        return "\n".join(difflib.unified_diff(*sides, name, "target", n=100, lineterm=""))


def _path(folder: Path, name: str, version: KubernetesVersion) -> Path:
    versions = (path.stem.rpartition(" ")[2] for path in folder.glob(f"{glob.escape(name)} until *.txt"))
    ends = [end for end in map(KubernetesVersion.parse, versions) if version <= end]
    return folder / (f"{name} until {min(ends)}.txt" if ends else f"{name}.txt")


MACHINES = (
    *("t1-one-socket-smt2", "t2-two-sockets-interleaved", "t3-two-numa-per-socket", "t4-four-uncores"),
    *("t6-eight-numa-no-smt", "t7-adjacent-siblings", "uneven-nodes", "offline-cpus", "four-sockets-smt4"),
    "amd-milan-7763-nps4",
)
SIZES = (2, 1, 4, 3, 6, 2, 10, 16)
"""CPUs of the pods, admitted one after the other; the third leaves before the sixth comes."""


def place(node: NodeRun, machine_name: str, option: str) -> str:
    """Admit the row of pods and return what became of each, with a map of the machine."""
    machine = load_machine(machine_name)
    options = () if option == "static" else (option,)
    reserved = str(CpuSet.from_bits(machine.core_bits[0]))
    started = node.try_start(machine, static(*options, reserved=reserved, topology="best-effort"))
    lines = [f"{machine.name}, {option}, best-effort, reserved {reserved}"]
    if isinstance(started, StartFailed):
        return "\n".join([*lines, f"does not come up: {started.message}", ""])
    held = {"reserved": CpuSet.parse(reserved)}
    for index, size in enumerate(SIZES):
        name = f"p{index}"
        if index == 5:
            node.remove("p2")
            held.pop("p2", None)
        answer = node.try_admit(guaranteed(name, size))
        if isinstance(answer, Admitted):
            held[name] = cpus_of(answer)
            lines.append(f"{name}: {size} CPUs on {held[name]}")
        else:
            lines.append(f"{name}: {size} CPUs refused, {answer.reason}: {answer.message}")
    lines.append(f"shared pool: {pool_of(node.admit(burstable('shared', 1)))}")
    return str(PlacementMap(machine, held, lines))
