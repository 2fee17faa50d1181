"""Reading a host tree."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.hostfs import write_tree
from numa_conformance.machine import Machine, load_machine, machine_from_dict
from numa_conformance.protocol import Client, wire
from numa_conformance.suite.findings import Finding

requirement = pytest.mark.requirement

NAMES = ["t1-one-socket-smt2", "t2-two-sockets-interleaved", "t3-two-numa-per-socket", "t5-two-sockets-one-numa"]


@requirement("host/finds-the-online-cpus", "host/finds-cores-sockets-and-numa-nodes")
@pytest.mark.parametrize("name", NAMES)
def test_finds_what_the_host_has(target: Client, requirements: tuple[str, ...], tmp_path: Path, name: str) -> None:
    wanted = load_machine(name)
    write_tree(wanted, tmp_path / "host")
    found = machine_from_dict(target.ask(wire.Discover(str(tmp_path / "host"))).machine)
    if found.online_bits != wanted.online_bits:
        got = [cpu.id for cpu in found.cpus]
        raise Finding(requirements, "other CPUs are found", got=got, allowed=[cpu.id for cpu in wanted.cpus])
    for kind in ("core", "socket", "numa"):
        if _groups(found, kind) != _groups(wanted, kind):
            names = sorted(str(CpuSet(group)) for group in _groups(found, kind))
            raise Finding(requirements, f"CPUs are grouped otherwise by {kind}", got=names)


def _groups(machine: Machine, kind: str) -> set[frozenset[int]]:
    groups: dict[Hashable, set[int]] = {}
    for cpu in machine.cpus:
        key = (cpu.numa, cpu.socket, cpu.core) if kind == "core" else getattr(cpu, kind)
        groups.setdefault(key, set()).add(cpu.id)
    return {frozenset(cpus) for cpus in groups.values()}
