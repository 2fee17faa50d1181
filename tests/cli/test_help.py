"""Every ``--help`` ends with commands that can be typed."""

import shlex
from pathlib import Path

import pytest

from numa_conformance.cli.app import _COMMANDS
from numa_conformance.cli.help_examples import EXAMPLES
from pages import why_not

ROOT = Path(__file__).parents[2]
NEED = {
    "explain": "reads what kubectl wrote; docs/my-pod-was-refused.md shows it",
    "simulate --from-node": "reads a dump; tests/cli/test_from_node.py",
    "replay decisions": "reads recorded decisions; tests/suite/recorded",
    "record": "asks a target of the reader's",
    "judge": "reads a report; tests/plugin/test_histories_kept.py",
    "smoke --target-command": "names a program that the reader has",
    "bisect": "asks eleven versions; tests/cli/test_bisect.py",
    "report": "reads reports that the reader has",
    "init": "writes into the folder; tests/cli/test_init.py",
}
TYPED = [typed for examples in EXAMPLES.values() for typed in examples]
RUN = [typed for typed in TYPED if not typed.startswith(tuple(NEED)) and not why_not(f"numa-conformance {typed}")]


@pytest.mark.parametrize("name", _COMMANDS)
def test_help_ends_with_examples(run, name):
    code, out, _ = run(name, "--help")
    assert code == 0
    shown = out.rstrip().splitlines()[-len(EXAMPLES[name]) - 1 :]
    assert shown == ["  Examples:", *(f"    numa-conformance {typed}" for typed in EXAMPLES[name])]
    assert all(len(line) <= 140 for line in shown)


@pytest.mark.parametrize("typed", RUN)
def test_an_example_runs_as_it_is_typed(run, monkeypatch, typed):
    monkeypatch.chdir(ROOT)
    code, out, err = run(*shlex.split(typed))
    assert code in (0, 1), err
    assert out
    assert "error" not in err


def test_most_are_run():
    assert len(RUN) >= 10
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
    assert "name PODS" in run("simulate", "--machine", "one-cpu")[2]
    assert "name a --machine" in run("simulate", "examples/node/pods.yaml")[2]
