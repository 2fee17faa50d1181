"""The SDK for targets in Go: generated from the schemas, formatted, sound."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from asked_in_full import deep
from forked_pytest import run_as_typed

GO = Path(__file__).parents[2] / "go"

pytestmark = pytest.mark.skipif(shutil.which("go") is None, reason="needs Go, which is not installed")


def run(*words):
    return subprocess.run(words, cwd=GO, capture_output=True, text=True, check=False)


def generator():
    spec = importlib.util.spec_from_file_location("generate", GO / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_messages_are_those_of_the_schemas():
    module = generator()
    committed = (GO / "numa" / "messages.go").read_text(encoding="utf-8")
    assert committed == module.formatted(module.messages()), "python go/generate.py writes it anew"


def test_all_go_is_formatted():
    starter = GO.parent / "src/numa_conformance/cli/starter/go"
    assert run("gofmt", "-l", ".", str(starter)).stdout == ""


@deep
@pytest.mark.parametrize("command", ["vet", "test"])
def test_the_sdk_passes(command):
    done = run("go", command, "./numa/")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_needs_the_standard_library_alone():
    assert run("go", "list", "-m", "all").stdout.splitlines() == ["github.com/numa-conformance/numa-conformance/go"]


MAIN = """package main

import "github.com/numa-conformance/numa-conformance/go/numa"

type target struct{}

func (target) Describe() numa.Identity {
	return numa.Identity{Name: "pods", Version: "1", Features: []string{numa.FeatureCPUManagerStatic}}
}

func main() { numa.Serve(target{}) }

"""


@deep
def test_the_example_of_the_page_classifies_pods_as_is_required(tmp_path):
    page = (GO.parent / "docs/write-a-target.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```go\n(func \(target\) Classify.*?)```", page, re.DOTALL)
    (tmp_path / "main.go").write_text(MAIN + example)
    module = "github.com/numa-conformance/numa-conformance/go"
    (tmp_path / "go.mod").write_text(f"module pods\ngo 1.20\nrequire {module} v0.0.0\nreplace {module} => {GO}\n")
    built = subprocess.run(
        ["go", "build", "-o", "pods", "."], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    ran = run_as_typed(tmp_path, "--numa-conformance", "--numa-target-command", "./pods", "--numa-requirement", "qos/*")
    assert " failed" not in ran.stdout.str()
    assert int(re.findall(r"^qos +(\d+) passed", ran.stdout.str(), re.MULTILINE)[0]) >= 7
