"""Options of the static policy."""

from __future__ import annotations

import pytest

from numa_conformance.machine import load_machine
from numa_conformance.suite.examples.invariants import split_cores
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import guaranteed, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
UNCORE = "prefer-align-cpus-by-uncorecache"


@requirement("cpu-manager/full-pcpus-only/are-additive")
def test_options_keep_their_promises_together(node: NodeRun) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    node.start(machine, static(FULL, NUMA, SOCKET, reserved="0,16", topology="best-effort"))
    got = node.admit(guaranteed("a", 12)).cpus()
    node.check(not split_cores(machine, got), "a core is split", got=got, allowed="whole cores")
    refused = node.try_admit(guaranteed("b", 3))
    node.check(refused.reason == "SMTAlignmentError", "part of a core is given", got=refused.answer, allowed="refused")


@requirement("cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses")
def test_what_fits_no_cache_is_admitted(node: NodeRun) -> None:
    machine = load_machine("t4-four-uncores")
    node.start(machine, static(UNCORE, reserved="0,16"))
    got = node.admit(guaranteed("a", 13)).cpus()
    node.check(len(got) == 13, "the number of CPUs is wrong", got=got, allowed="13 CPUs")
