"""A surface that counts cores, added as CONTRIBUTING.md tells."""

import pytest

from asked_in_full import deep
from contributing.house import House, files_of_recipe, is_named, last_import, last_method

REFERENCE = "src/numa_conformance/reference/target/reference_target.py"
SMOKE = "src/numa_conformance/cli/smoke.py"
MESSAGES = '''"""The surface ``cores``: how many cores a machine has."""

from __future__ import annotations

from ..message import Message, Request
from ..values import JsonObject

__all__ = ["FEATURES", "SURFACE", "Cores", "CountCores"]

SURFACE = "how many cores a machine has"
FEATURES = {"machine/cores": "counting cores"}


class Cores(Message, frozen=True):
    """Their number."""

    count: int


class CountCores(Request[Cores], method="cores.count", surface="cores", frozen=True):
    """Count the cores of a machine."""

    machine: JsonObject
'''
METHOD = '''

    def cores_count(self, request: CountCores) -> Cores:
        """Count the cores of a machine."""
        return Cores(len(machine_of(request.machine).core_bits))'''
ASKED = """
import sys
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import Client, InProcess, Stdio
from numa_conformance.wire.messages.cores import CountCores

command = f"{sys.executable} -m numa_conformance.reference"
for connection in (InProcess(ReferenceTarget, "the reference"), Stdio(command, 600)):
    target = Client(connection)
    answer = target.ask(CountCores(machine_to_dict(load_machine("t3-two-numa-per-socket"))))
    print("cores" in target.surfaces, "machine/cores" in target.features, answer.count)
    target.close()
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    house = House(tmp_path_factory.mktemp("house"))
    house.write("src/numa_conformance/wire/messages/cores.py", MESSAGES)
    house.add(REFERENCE, "\nfrom ...wire.messages.cores import Cores, CountCores", behind=last_import)
    house.add(REFERENCE, METHOD, behind=last_method("ReferenceTarget"))
    house.add(SMOKE, "\nfrom ..wire.messages.cores import CountCores", behind=last_import)
    house.change(
        SMOKE, "        classify.Classify(pod),\n", "        classify.Classify(pod),\n        CountCores(machine),\n"
    )
    house.change("CHANGELOG.md", "## Unreleased\n\n", "## Unreleased\n\n- The surface cores.\n")
    return house


def test_touches_what_the_recipe_names(house):
    named = files_of_recipe("A surface of the protocol")
    assert len(house.touched) == 4
    assert [path for path in house.touched if not is_named(path, named)] == []


def test_the_surface_is_claimed_and_answered_in_process_and_over_stdio(house):
    assert house.run("-c", ASKED).splitlines() == ["True True 16"] * 2


def test_the_page_of_the_protocol_tells_it(house):
    page = house.run("-m", "numa_conformance", "requirements", "--protocol")
    assert "| `cores.count` | cores |" in page
    assert "| `machine/cores` | counting cores |" in page


def test_commands_know_it(house):
    assert "  cores.count: well formed" in house.run("-m", "numa_conformance", "smoke").splitlines()
    house.run("-m", "numa_conformance", "requirements")


@deep
def test_what_the_target_says_of_itself_is_asked(house):
    assert "passed" in house.ask("protocol/answers-are-well-formed", more=("--numa-budget", "2%"))
