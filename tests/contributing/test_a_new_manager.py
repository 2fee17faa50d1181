"""A manager of seats, added as in CONTRIBUTING.md: the toy of ``reference/node/test_a_toy_provider.py``, in earnest."""

import ast

import pytest

from asked_in_full import deep
from contributing.house import ROOT, House, files_of_recipe, is_named, last_entry, last_import

ROOM = "src/numa_conformance/reference/managers/"
TOY = ROOT / "tests" / "reference" / "node" / "test_a_toy_provider.py"
FACE = '''"""A manager of seats."""

from .manager import provide

__all__ = ["provide"]
'''
PROVIDE = '''

def provide(setup: NodeSetup) -> SeatManager:
    """Build the manager of a node."""
    return SeatManager(setup)
'''
PODS = """
apiVersion: v1
kind: Pod
metadata: {name: seated, uid: seated}
spec:
  containers:
  - name: c
    resources: {limits: {cpu: "2", memory: 1Gi, example.com/seat: "1"}}
"""
CONFIG = """
cpuManagerPolicy: static
reservedSystemCPUs: "0"
topologyManagerPolicy: restricted
"""
ASKED = """
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.node import Node
from numa_conformance.testing import guaranteed, static

node = Node(load_machine("intel-sapphirerapids-8480"), KubeletConfiguration.from_dict(static(topology="restricted")))
for name in ("first", "second", "third"):
    print(node.admit(Pod.from_dict(guaranteed(name, 2, **{"example.com/seat": "1"}))).reason)
print(node.checkpoints()["seats_state"])
"""


def classes_of_the_toy():
    """Return what the toy's module has above its tests: imports and classes, without tests and their helpers."""
    text = TOY.read_text()
    kept = [
        ast.get_source_segment(text, node)
        if not getattr(node, "decorator_list", ())
        else "\n".join(text.splitlines()[node.decorator_list[0].lineno - 1 : node.end_lineno])
        for node in ast.parse(text).body
        if not isinstance(node, ast.FunctionDef) and not _of_a_test(node)
    ]
    return "\n\n\n".join(kept) + "\n"


def _of_a_test(node):
    """Tell whether an import is one that a manager may not have: of pytest, and of rooms above the managers."""
    if isinstance(node, ast.Import):
        return node.names[0].name in {"pytest", "msgspec"}
    below = (
        "errors",
        "kube",
        "machine.hostfs",
        *(f"reference.managers.{each}" for each in ("hint", "provider", "setup", "state_file")),
    )
    ours = isinstance(node, ast.ImportFrom) and str(node.module).startswith("numa_conformance.")
    return ours and str(node.module).partition(".")[2] not in below


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    (house.folder / ROOM / "seats").mkdir()
    house.write(f"{ROOM}seats/__init__.py", FACE)
    house.write(f"{ROOM}seats/manager.py", classes_of_the_toy() + PROVIDE)
    house.add(f"{ROOM}registry.py", "\nfrom . import seats", behind=last_import)
    house.add(f"{ROOM}registry.py", ", seats.provide", behind=last_entry("PROVIDERS"))
    house.change("CHANGELOG.md", "## Unreleased\n\n", "## Unreleased\n\n- A manager of seats.\n")
    return house


def test_touches_what_the_recipe_names(house):
    named = files_of_recipe("A manager")
    assert len(house.touched) == 4
    assert [path for path in house.touched if not is_named(path, named)] == []


def test_it_decides_beside_the_others_and_keeps_its_file(house):
    assert house.run("-c", ASKED).splitlines() == [
        "None",
        "None",
        "TopologyAffinityError",
        '{"first": {"c": 1}, "second": {"c": 2}}',
    ]


@deep
def test_commands_explain_what_it_decides(house):
    (house.folder / "pods.yaml").write_text(PODS)
    (house.folder / "config.yaml").write_text(CONFIG)
    machine = ("--machine", "intel-sapphirerapids-8480", "--config", "config.yaml")
    said = house.run("-m", "numa_conformance", "simulate", *machine, "--explain", "pods.yaml")
    assert "seats, example.com/seat: preferred {0}, {1}" in said
    assert "a seat on NUMA node 0" in said
    assert "seats: [0]" in said
    assert '"seats": [' in house.run("-m", "numa_conformance", "simulate", *machine, "--json", "pods.yaml")
    house.run("-m", "numa_conformance", "requirements")


@deep
def test_what_is_asked_of_the_other_managers_is_met_beside_it(house):
    assert "passed" in house.ask("cpu-manager/static/packs-whole-cores", more=("--numa-budget", "2%"))
