"""Reading the host tree of a 256-CPU machine."""

from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import read_machine, write_tree


def test_reading_a_host_tree_of_256_cpus(benchmark, tmp_path):
    write_tree(load_machine("amd-milan-7763-nps1"), tmp_path / "root")
    machine = benchmark.pedantic(read_machine, (tmp_path / "root",), rounds=3)
    assert len(machine.cpus) == 256
