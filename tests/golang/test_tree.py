"""The tree that the SDK for Go writes of a machine is the one that is written here, file by file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from asked_in_full import deep
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.machine.hostfs import write_tree

GO = Path(__file__).parents[2] / "go"
MACHINES = (
    "t1-one-socket-smt2",
    "ibm-power9-ac922",
    "intel-core-i7-1370p",
    "two-nodes-hugepages",
    "offline-cpus",
    "one-cpu",
    "memory-only-node",
    "sparse-ids",
)
PROGRAM = """package main

import (
	"encoding/json"
	"os"

	"github.com/numa-conformance/numa-conformance/go/numa"
)

func main() {
	for _, name := range os.Args[1:] {
		var machine numa.Machine
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &machine)
		}
		if err == nil {
			err = numa.WriteTree(name+".tree", machine)
		}
		if err != nil {
			panic(err)
		}
	}
}
"""

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="needs Go, which is not installed")


def files(root: Path) -> dict[str, str]:
    """Return each place below a root: what a file says, where a link leads."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in [*folders, *names]:
            path = Path(folder, name)
            place = str(path.relative_to(root))
            found[place] = (
                f"-> {os.readlink(path)}" if path.is_symlink() else "/" if path.is_dir() else path.read_text()
            )
    return found


@deep
def test_a_machine_is_the_same_tree_in_both_languages(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "main.go").write_text(PROGRAM)
    module = "github.com/numa-conformance/numa-conformance/go"
    replaced = f"module program\n\ngo 1.20\n\nrequire {module} v0.0.0\n\nreplace {module} => {GO}\n"
    (program / "go.mod").write_text(replaced)
    machines = [load_machine(name) for name in MACHINES]
    for machine in machines:
        (tmp_path / f"{machine.name}.json").write_text(json.dumps(machine_to_dict(machine)))
    told = [str(tmp_path / f"{machine.name}.json") for machine in machines]
    done = subprocess.run(["go", "run", ".", *told], cwd=program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for machine in machines:
        write_tree(machine, tmp_path / machine.name)
        assert files(tmp_path / f"{machine.name}.json.tree") == files(tmp_path / machine.name)
