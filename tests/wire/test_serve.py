"""``python -m numa_conformance.reference`` as a real process: what goes in and out, line by line."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.sources.versions import DEFAULT
from processes import PATIENCE

TESTS = Path(__file__).parents[1]
MACHINE = {
    "name": "one node",
    "cpus": [{"id": cpu, "core": cpu, "socket": 0, "numa": 0} for cpu in range(4)],
    "memory": [{"node": 0, "memory": 8 * 2**30}],
}


class Served:
    """One served target."""

    def __init__(self, *args: str) -> None:
        command = [sys.executable, "-m", "numa_conformance.reference", *args]
        self.child = subprocess.Popen(
            command, cwd=TESTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def line(self, text: str) -> dict[str, Any]:
        """Send one line and return the reply."""
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.child.stdin.write(text.encode() + b"\n")
        self.child.stdin.flush()
        reply = json.loads(self.child.stdout.readline())
        assert reply["jsonrpc"] == "2.0"
        return reply

    def ask(self, method: str, **params: object) -> Any:
        """Return the result of a method."""
        reply = self.line(json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
        assert reply["id"] == method
        return reply.get("result") or reply["error"]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    one = Served()
    yield one
    one.child.kill()
    one.child.communicate()


def test_it_says_who_it_is(served: Served):
    described = served.ask("describe")
    assert described["protocol"] == "2"
    assert "node" in described["surfaces"]
    assert described["kubernetes_version"] == str(DEFAULT)


def test_another_target_can_be_served():
    one = Served("--target", "mutants:picks_one_too_few")
    picked = one.ask("pick", machine=MACHINE, available="0-3", count=2)
    one.child.kill()
    one.child.communicate()
    assert len(picked["cpus"].replace("-", ",").split(",")) == 1


def test_a_target_that_cannot_be_loaded_is_wrong_usage():
    command = [sys.executable, "-m", "numa_conformance.reference", "--target", "nowhere:make"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert run.returncode == 2
    assert "'nowhere:make' cannot be loaded" in run.stderr


def test_it_classifies_a_pod(served: Served):
    answer = served.ask("classify", pod=guaranteed("a", 2))
    assert answer == {"qos": "Guaranteed", "container_cpus": {"c": 2}, "pod_cpus": 2}


def test_it_brings_up_a_node_and_admits_a_pod(served: Served):
    started = served.ask("node.start", machine=MACHINE, kubelet=static(reserved="0"))
    assert (started["default_cpuset"], started["reserved_cpus"]) == ("0-3", "0")
    answer = served.ask("node.admit", pod=guaranteed("a", 2))
    assert answer["result"] == "admitted"
    assert answer["containers"]["c"]["cpus"] == "1-2"
    assert answer["default_cpuset"] == "0,3"


@pytest.mark.parametrize("text", ["{", "no JSON", '{"jsonrpc": "2.0",}'])
def test_a_line_that_is_not_json_is_a_parse_error_and_the_next_is_answered(served: Served, text: str):
    reply = served.line(text)
    assert (reply["id"], reply["error"]["code"]) == (None, -32700)
    assert served.ask("describe")["protocol"] == "2"


@pytest.mark.parametrize("text", ["[]", "7", '{"id": 1, "method": "describe"}', '{"jsonrpc": "2.0", "method": 3}'])
def test_what_is_no_request_is_refused(served: Served, text: str):
    assert served.line(text)["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("params", "named"), [({}, "pod"), ({"pod": 7}, "$.pod"), ({"pod": {}, "colour": "blue"}, "colour")]
)
def test_wrong_parameters_are_named(served: Served, params: dict[str, object], named: str):
    error = served.ask("classify", **params)
    assert error["code"] == -32602
    assert named in error["message"]


def test_faults_of_a_document_are_named_with_their_place(served: Served):
    error = served.ask("node.start", machine=MACHINE | {"cpus": "none"}, kubelet=static())
    assert error["code"] == -32602
    assert "cpus" in error["message"]


def test_an_unknown_method_is_not_found(served: Served):
    error = served.ask("guess")
    assert error["code"] == -32601
    assert "'guess'" in error["message"]


@pytest.mark.parametrize("farewell", [b'{"jsonrpc":"2.0","method":"shutdown"}\n', b"", b"\n\n"])
def test_it_ends_when_told_and_when_the_input_ends(farewell: bytes):
    child = Served().child
    out, _ = child.communicate(farewell, timeout=PATIENCE)
    assert (out, child.returncode) == (b"", 0)
