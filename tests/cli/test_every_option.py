"""A refusal under the static options, alone and in pairs, and every policy: commands and output forms that tell it."""

import json
from itertools import combinations, product

import pytest

from fake_nodes import FakeNode
from numa_conformance.asking.generators.workloads import guaranteed, kubelet, pinning, static
from numa_conformance.errors import StartError
from numa_conformance.kube import Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.advice import advise
from numa_conformance.reference.node import Node
from numa_conformance.sources.options import STATIC_OPTIONS

MACHINE = load_machine("t3-two-numa-per-socket")
TOPOLOGIES = ("none", "best-effort", "restricted", "single-numa-node")
SMALL, LARGE, MORE = guaranteed("small", 4), guaranteed("large", len(MACHINE.cpus)), guaranteed("more", 2)
OPTIONS = "cpuManagerPolicyOptions"
REASONS = ("TopologyAffinityError", "UnexpectedAdmissionError", "SMTAlignmentError")


def configurations():
    """Yield every configuration that comes up: some options exclude each other, or a policy."""
    sets = [options for number in range(3) for options in combinations(STATIC_OPTIONS, number)]
    for options, topology, memory in product(sets, TOPOLOGIES, ({}, pinning(0))):
        config = static(*options, topology=topology, more=memory)
        try:
            Node(MACHINE, config)
        except StartError:
            continue
        yield config


CONFIGURATIONS = list(configurations())
CATALOGUE, DUMP = "--machine t3-two-numa-per-socket --config kubelet.json pods.json", "--from-node dump pods.json"
CLUSTER = "cluster --nodes nodes.json --pods pods.json --machine t3-two-numa-per-socket --kubelet kubelet.json"
REFUSALS = [
    *(f"simulate {form} {CATALOGUE}" for form in ("", "--json", "--explain", "--explain --json", "--html")),
    *(f"explain {form} {CATALOGUE}" for form in ("", "--json")),
    *(f"{command} {form} {DUMP}" for command in ("simulate", "explain") for form in ("", "--json")),
    *(f"{CLUSTER} {form}" for form in ("", "--json")),
]
PICTURES_AND_CHANGES = [
    f"simulate --svg {CATALOGUE}",
    *(f"simulate --compare other.json {form} {CATALOGUE}" for form in ("", "--json", "--svg")),
    *(f"simulate --compare-version 1.36 {form} {CATALOGUE}" for form in ("", "--json", "--svg")),
    *(f"bisect --from 1.36 {form} {CATALOGUE}" for form in ("", "--json")),
    *(f"diff reference@1.36 reference {form} {CATALOGUE}" for form in ("", "--json")),
]


def test_every_option_comes_up():
    assert {option for config in CONFIGURATIONS for option in config.get(OPTIONS, ())} == {*STATIC_OPTIONS}


def test_a_copy_answers_as_the_node_and_leaves_it_as_it_was():
    for config in CONFIGURATIONS[::3]:
        node = Node(MACHINE, config, resource_fit=True)
        assert node.admit(SMALL).admitted
        before, copied = node.state(), node.copy()
        assert copied.state() == before
        assert copied.admit(LARGE).reason in REASONS
        assert advise(node, Pod.from_dict(LARGE)).remedies
        assert node.state() == before
        assert copied.admit(MORE) == node.admit(MORE)


TURNS = 3
"""Of so many configurations each tells a refusal in a part of the forms, and all of them in every form."""


@pytest.mark.parametrize(
    ("number", "config"),
    [*enumerate(CONFIGURATIONS[::5])],
    ids=lambda each: "+".join(each.get(OPTIONS, ("none",))) if isinstance(each, dict) else str(each),
)
def test_every_output_form_tells_a_refusal(run, files, tmp_path, monkeypatch, number, config):
    monkeypatch.chdir(tmp_path)
    allocatable = {"cpu": "99", "memory": "99Gi", "pods": "9"}
    contents = {
        "pods": {"kind": "List", "items": [SMALL, LARGE]},
        "kubelet": config,
        "other": kubelet(),
        "nodes": {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": allocatable}},
    }
    for name, content in contents.items():
        files(f"{name}.json", json.dumps(content))
    FakeNode(tmp_path / "dump", kubelet=config, pods=[SMALL], version="1.36")
    for command in REFUSALS[number % TURNS :: TURNS]:
        code, out, err = run(*command.split())
        assert (code, any(reason in out for reason in REASONS)) == (1, True), (command, out, err)
    for command in PICTURES_AND_CHANGES[number % TURNS :: TURNS]:
        code, out, err = run(*command.split())
        assert (code in (0, 1), len(out) > 0) == (True, True), (command, err)
