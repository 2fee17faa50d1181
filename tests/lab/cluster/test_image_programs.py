"""A container whose image stands for a program runs it, as CRI has it: words, environment, files, log, probes, end."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from kubelets import needs_namespaces
from processes import PATIENCE

pytestmark = [needs_namespaces]
PROGRAM = """
import os, pathlib, signal, sys, time
verb, *words = sys.argv[1:]
if verb == "tell":
    for each in ("FROM_POD", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        print(each, os.environ.get(each))
    for each in words:
        print(each, pathlib.Path(each).read_text().strip())
    sys.exit(3)
if verb == "probe":
    sys.exit(not pathlib.Path("/var/lib/kubelet/healthy").exists())
if verb == "serve":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
if verb == "stay":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path("/var/lib/kubelet/healthy").touch()
print("up", flush=True)
time.sleep(1e6)
"""
FILES = ["/etc/with/config", "/from-the-root/config", "/var/run/secrets/token/config", "/tmp/config",
         "/sys/devices/system/node/online"]  # fmt: skip
MOUNTS = {**dict.fromkeys(map(os.path.dirname, FILES[:3]), "volume"), "/tmp/config": "volume/config"}
QUESTIONS = [
    {"args": ["tell"], "command": ["/bin/prog"]},
    {"args": ["tell", *FILES], "mounts": MOUNTS},
    {"args": ["serve"], "until": "up", "exec": ["sh", "-c", "cat /mounted/config; exit 5"], "stop": 60,
     "mounts": {"/mounted": "volume"}},
    {"command": ["/bin/prog", "serve"], "until": "up", "exec": ["/bin/prog", "probe"], "stop": 60},
    {"args": ["stay"], "until": "up", "exec": ["sleep", "3600"], "for": 1, "stop": 1},
    {"image": "registry.example/other", "exec": ["true"]},
]  # fmt: skip
EXITED, RUNNING = 2, 1


@pytest.fixture(scope="module")
def answers():
    with tempfile.TemporaryDirectory(prefix="numa-", dir="/var/tmp") as folder:
        home = Path(folder, "home")
        home.mkdir()
        (home / "prog.py").write_text(PROGRAM)
        (home / "volume").mkdir()
        config = home / "volume/config"
        config.write_text("a line of a config map")
        questions = Path(folder, "questions.json")
        questions.write_text(json.dumps(QUESTIONS))
        script = Path(__file__).with_name("one_node.py")
        done = subprocess.run(
            [sys.executable, script, home, questions], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stderr
        yield [json.loads(line) for line in done.stdout.splitlines()]


def lines(answer):
    """Return what was written to a log of CRI's form."""
    told = [re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z stdout F (.*)", line) for line in answer["log"]]
    assert all(told), answer["log"]
    return [line[1] for line in told]


def test_words_environment_and_exit_code_are_those_of_the_container(answers):
    told = answers[0]
    assert lines(told) == ["FROM_POD yes", "KUBERNETES_SERVICE_HOST 127.0.0.1", "KUBERNETES_SERVICE_PORT 6443"]
    assert (told["state"], told["code"], told["reason"], told["address"]) == (EXITED, 3, "Error", "127.0.0.1")


def test_volumes_are_at_their_places_wherever_these_are_and_the_machine_is_the_nodes(answers):
    places = dict(line.split(" ", 1) for line in lines(answers[1])[3:])
    assert places == {**dict.fromkeys(FILES[:4], "a line of a config map"), FILES[4]: "1,5"}
    assert not any(os.path.exists(place) for place in FILES[:4])


def test_a_command_runs_where_the_program_does_and_a_signal_ends_it(answers):
    assert answers[2]["exec"] == [5, "a line of a config map"]
    assert (answers[2]["state"], answers[2]["code"]) == (EXITED, 7)


def test_a_probe_by_the_entrypoint_runs_the_program(answers):
    assert answers[3]["exec"] == [0, ""]


def test_one_that_does_not_end_is_killed_and_a_command_that_takes_too_long_is_one(answers):
    assert answers[4]["exec"] == "DEADLINE_EXCEEDED"
    assert (answers[4]["state"], answers[4]["code"]) == (EXITED, 137)


def test_an_image_without_a_program_runs_nothing(answers):
    assert answers[5] == {
        "address": "127.0.0.1", "state": RUNNING, "code": 0, "reason": "", "log": [],
        "exec": [1, "containers run nothing here"],
    }  # fmt: skip
