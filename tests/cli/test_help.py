"""Every ``--help`` ends with commands that can be typed."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from numa_conformance.cli.app import COMMANDS, EXAMPLES, WITH_FILES
from report.pages import why_not

ROOT = Path(__file__).parents[2]
TYPED = list(dict.fromkeys(typed for examples in EXAMPLES.values() for typed in examples))
NEED = {
    "smoke --target-command 'numa-conformance serve ": "an unmodified program; tests/lab",
    "which-kubelet": "a kubelet; tests/cli/test_which_kubelet.py",
    "playground": "a page that is built; it serves until stopped",
}
RUN = [
    typed
    for typed in TYPED
    if typed.startswith("check-node --from-node examples/")
    or not (typed.startswith(tuple(NEED)) or why_not(f"numa-conformance {typed}"))
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_help_ends_with_examples(run, name):
    code, out, _ = run(*name.split(), "--help")
    assert code == 0
    shown = out.rstrip().splitlines()[-len(EXAMPLES[name]) - 1 :]
    heading = WITH_FILES if any("examples/" in typed for typed in EXAMPLES[name]) else "Examples:"
    assert shown == [f"  {heading}", *(f"    numa-conformance {typed}" for typed in EXAMPLES[name])]
    assert all(len(line) <= 140 for line in shown)


def test_help_calls_a_folder_by_one_name(run):
    assert [name for name in COMMANDS if "DIRECTORY" in run(*name.split(), "--help")[1]] == []


@pytest.mark.parametrize("typed", ["", "machines", "serve", "cluster"])
def test_help_of_groups_imports_no_command(typed):
    words = f"main([*{typed.split()!r}, '--help'])"
    code = f"import sys; from numa_conformance.cli import main\ntry: {words}\nfinally: print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = ran.stdout.splitlines()[-1].split()
    assert "numa_conformance.cli.app" in loaded
    heavy = (
        "pytest",
        "hypothesis",
        *(f"numa_conformance.{room}" for room in ("machine", "reference", "lab", "chapters")),
    )
    assert [name for name in loaded if name.startswith(heavy)] == []


@pytest.mark.parametrize("typed", RUN)
def test_an_example_runs_as_it_is_typed_on_the_files_that_are_shipped(run, monkeypatch, tmp_path, typed):
    monkeypatch.chdir(tmp_path)
    if "examples/" in typed:
        assert run("examples")[0] == 0
    if "my-allocator/" in typed:
        assert run("init", "stdio", "my-allocator")[0] == 0
    code, out, err = run(*shlex.split(typed))
    assert code in (0, 1), err
    assert out or list(tmp_path.rglob("*"))
    assert "error" not in err


def test_the_files_of_examples_are_never_overwritten(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert "wrote examples/node/pods.yaml" in run("examples")[1]
    assert run("examples") == (0, "", "")
    (tmp_path / "examples/node/pods.yaml").write_text("mine")
    code, _, err = run("examples")
    assert (code, "examples/node/pods.yaml: is there already" in err) == (2, True)
    assert (tmp_path / "examples/node/pods.yaml").read_text() == "mine"


def test_each_command_has_examples_and_most_are_run():
    of_report = {name for name in EXAMPLES if name.startswith("report ")}
    assert EXAMPLES.keys() - of_report == {"", *COMMANDS}
    assert len(RUN) >= len(TYPED) * 0.6
    assert not [need for need in NEED if not any(typed.startswith(need) for typed in TYPED)]


@pytest.mark.parametrize(
    ("command", "typed", "near"),
    [
        ("quirks", "distribution-hangs", "distribution-hang"),
        ("quirks", "hang", "distribution-hang"),
        ("requirements", "full-pcpus-ony", "exact/placements/full-pcpus-only"),
        ("requirements", "cpu-manager/static/gives-free-cpu-only", "cpu-manager/static/gives-free-cpus-only"),
        ("requirements", "cpu-manager/statics/*", "cpu-manager/static/"),
    ],
)
def test_an_unknown_name_gets_the_near_one(run, command, typed, near):
    code, _, err = run(command, typed)
    assert code == 2
    assert f"did you mean '{near}" in err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("simulate", "--machine", "kubelet.yaml", "pods.yaml"), "kubelet.yaml: is a KubeletConfiguration"),
        (("lint", "scheduler.yaml"), "holds no KubeletConfiguration, but KubeSchedulerConfiguration"),
        (("lint", "machine.yaml"), "holds no KubeletConfiguration, but machine"),
        (("score", "--nodes", "nodes.yaml", "--config", "kubelet.yaml", "pods.yaml"), "is a KubeletConfiguration"),
        (("score", "--nodes", "nodes.yaml", "--config", "machine.yaml", "pods.yaml"), "is a machine"),
        (("simulate", "--machine", "one-cpu", "kubelet.yaml"), "a KubeletConfiguration is for --config"),
    ],
)
def test_a_file_in_the_wrong_slot_is_one_line(run, monkeypatch, tmp_path, args, said):
    examples = ROOT / "examples"
    for name, path in {
        "kubelet.yaml": examples / "node/kubelet.yaml",
        "pods.yaml": examples / "node/pods.yaml",
        "nodes.yaml": examples / "cluster/nodes.yaml",
        "scheduler.yaml": examples / "cluster/scheduler.yaml",
        "machine.yaml": ROOT / "fixtures/topologies/one-cpu.yaml",
    }.items():
        (tmp_path / name).write_text(path.read_text())
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*args)
    assert code == 2
    assert said in err
    assert len(err.splitlines()) == 1


def test_what_simulate_lacks_is_what_it_names(run):
    assert "name PODS, or a node" in run("simulate", "--machine", "one-cpu")[2]
    assert "name a --machine, or a node" in run("simulate", "examples/node/pods.yaml")[2]
