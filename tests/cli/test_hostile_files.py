"""Whatever lies where a command reads a file: the command says so in a few lines, and is never itself at fault."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from asked_in_full import deep

EXAMPLES = Path(__file__).parents[2] / "examples"
NODE, CLUSTER = EXAMPLES / "node", EXAMPLES / "cluster"
ON = ("--machine", "amd-milan-7763-nps4", "--config", NODE / "kubelet.yaml")
SCORED = ("--nodes", CLUSTER / "nodes.yaml", "--config", CLUSTER / "scheduler.yaml")
BOTH = ("diff", "reference:exact", "reference:documented")
READ = "FILE"
COMMANDS = [
    ("simulate", "--machine", READ, "--config", NODE / "kubelet.yaml", NODE / "pods.yaml"),
    ("simulate", "--machine", "one-cpu", "--config", READ, NODE / "pods.yaml"),
    ("simulate", *ON, READ),
    ("simulate", *ON, "--compare", READ, NODE / "pods.yaml"),
    ("simulate", "--from-node", READ, NODE / "pods.yaml"),
    ("explain", READ, *ON),
    ("explain", NODE / "pods.yaml", "--from-node", READ),
    ("lint", READ),
    ("lint", NODE / "kubelet.yaml", "--machine", READ),
    ("score", "--nodes", READ, "--config", CLUSTER / "scheduler.yaml", CLUSTER / "pod.yaml"),
    ("score", "--nodes", CLUSTER / "nodes.yaml", "--config", READ, CLUSTER / "pod.yaml"),
    ("score", *SCORED, READ),
    ("simulate-cluster", "--nodes", READ, "--pods", CLUSTER / "workload.yaml"),
    ("simulate-cluster", "--nodes", CLUSTER / "nodes.yaml", "--pods", READ),
    ("replay", READ),
    ("record", READ, "--output", "recorded.jsonl"),
    ("judge", READ),
    ("judge", "--again", READ),
    ("bisect", READ),
    ("bisect", *ON, READ),
    (*BOTH, READ, *ON),
    (*BOTH, NODE / "pods.yaml", "--machine", "one-cpu", "--config", READ),
    ("report", "compare", READ, READ),
    ("report", "merge", READ, READ, "-o", "merged"),
    ("report", "matrix", READ, "-o", "matrix.html"),
    ("report", "known-failures", READ, "known.yaml", "--reason", "r", "--link", "l"),
    ("machines", "capture", "--from-node", READ),
    ("machines", "capture", "--from", READ),
    ("news", "--claims", READ),
    ("check-node", "--from-node", READ),
    ("machines", "show", READ),
    ("machines", "export", READ, "exported"),
    ("cluster", "up", READ),
]
CONTAINERS = '[{"name": "c", "resources": {"limits": %s}}]'
POD = '{"kind": "Pod", "metadata": {"name": "%s"}, "spec": {"containers": %s}}'
MACHINE = '{"name": "\\u001b[31m", "cpus": [{"id": 1000000000, "core": 0, "socket": 0, "numa": 1000000000}]}'
RECORD = '{"id": "x", "kind": "%s", "pod": 7, "machine": {}, "kubelet": []}\n'
FILES = {
    "many times itself.yaml": "a: &a [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{name}: &{name} [{', '.join([f'*{chr(ord(name) - 1)}'] * 9)}]\n" for name in "bcdefghi"),
    "in itself.yaml": "a: &a\n  b: *a\n",
    "deep.json": "[" * 200_000 + "]" * 200_000,
    "deep.yaml": "[" * 20_000 + "]" * 20_000,
    "a call.yaml": "!!python/object/apply:os.system ['touch called']\n",
    "keys.yaml": "? {a: b}\n: c\n? [1, 2]\n: 2020-01-01\n",
    "bytes.yaml": bytes(range(256)) * 100,
    "surrogates.json": POD % ("\\ud800", CONTAINERS % "{}"),
    "large numbers.json": POD % ("p", CONTAINERS % f'{{"cpu": {"9" * 5000}}}'),
    "others.json": '{"kind": "List", "items": [{"kind": "Pod"}, 7, null, [], {"kind": "Pod", "spec": 7}]}',
    "a list.json": "[1, 2, 3]",
    "nothing.yaml": "",
    "a machine.json": MACHINE,
    "records.jsonl": RECORD % "qos" + RECORD % "admission" + RECORD % "lifecycle",
}
SLOW = "many times itself.yaml"
LINKS = {"without end.yaml": "/dev/zero", "out.yaml": "/etc/passwd", "a circle.yaml": "a circle.yaml"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(SLOW, marks=deep), *(name for name in FILES if name != SLOW), *LINKS, "a FIFO.yaml", "a folder.yaml"],
)
def test_a_hostile_file_is_told_of_by_every_command_that_reads_files(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / name
    if name in FILES:
        content = FILES[name]
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    elif name in LINKS:
        file.symlink_to(LINKS[name])
    elif name == "a FIFO.yaml":
        os.mkfifo(file)
    else:
        file.mkdir()
    for words in COMMANDS:
        code, out, err = run(*[file if word is READ else word for word in words])
        assert code in (0, 1, 2, 3), (words, code, err)
        assert "Traceback" not in out + err
        assert len(err) < 20_000, words
    assert not (tmp_path / "called").exists()


def test_of_many_faults_a_hundred_are_told(run, tmp_path):
    many = tmp_path / "many.yaml"
    many.write_text("- restat\n" * 300)
    code, _, err = run("simulate", "--machine", "one-cpu", many)
    told = err.splitlines()
    assert (code, len(told), told[-1]) == (2, 101, "error: and 200 more faults")
    assert told[99].startswith(f"error: {many}:100:3: [99]: restat: unknown field")
