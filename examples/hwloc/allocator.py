"""hwloc chooses the CPUs: an adapter to the command-line tools of Portable Hardware Locality (Debian: hwloc).

pytest --numa-conformance --numa-target allocator:Hwloc      (from this folder)

The adapter translates and decides nothing. A machine becomes a host tree, which hwloc reads as it reads a real one.
Without an option the first CPUs in hwloc's own order are taken (hwloc-calc), which keeps neighbours together; to
distribute, hwloc-distrib is asked, which spreads over the whole machine.
"""

import atexit
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from numa_conformance.machines import machine_from_dict, write_tree
from numa_conformance.targets import PROTOCOL, CpuSet, Description, Picked, PickRefused

FEATURES = ["cpu-manager/static", "cpu-manager/distribute-cpus-across-cores", "cpu-manager/distribute-cpus-across-numa"]
SPREADING = {"distribute-cpus-across-cores", "distribute-cpus-across-numa"}


class Hwloc:
    """Answers ``pick`` alone: hwloc keeps no pods."""

    def __init__(self):
        if shutil.which("hwloc-distrib") is None:
            raise RuntimeError("hwloc's tools are not installed (Debian: apt-get install hwloc)")
        self._folder = Path(tempfile.mkdtemp(prefix="hwloc-"))
        atexit.register(shutil.rmtree, self._folder)
        self._trees = {}

    def describe(self, request):
        version = run("hwloc-distrib", "--version").split()[-1]
        return Description("hwloc", version, PROTOCOL, ["pick"], FEATURES)

    def pick(self, request):
        if request.count == 0:
            return Picked("")
        available = CpuSet.parse(request.available)
        if not available:  # hwloc warns about an empty restriction and goes on without any
            return PickRefused("nothing is available")
        topology = ["--input", self._tree(request.machine), "--input-format", "fsroot", "--restrict", bitmap(available)]
        if SPREADING & {name for name, on in request.options.items() if on}:
            masks = run("hwloc-distrib", *topology, "--single", "--taskset", str(request.count)).split()
            chosen = CpuSet.from_bits(sum({int(mask, 16) for mask in masks}))
        else:
            ids = run("hwloc-calc", *topology, "--po", "--intersect", "pu", f"pu:0-{request.count - 1}")
            chosen = CpuSet.parse(ids)
        if len(chosen) < request.count:
            return PickRefused(f"hwloc finds {len(chosen)} CPUs")
        return Picked(str(chosen))

    def _tree(self, machine):
        """Return a host tree of the machine, written once."""
        key = json.dumps(machine, sort_keys=True)
        if key not in self._trees:
            self._trees[key] = self._folder / str(len(self._trees))
            write_tree(machine_from_dict(machine), self._trees[key])
        return str(self._trees[key])


def bitmap(cpus):
    """Return a set as hwloc reads it: words of 32 bits, the highest first."""
    digits = f"{cpus.bits:x}"
    digits = digits.zfill(-(-len(digits) // 8) * 8)
    return ",".join(f"0x{digits[at : at + 8]}" for at in range(0, len(digits), 8))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
