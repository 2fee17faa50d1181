"""The commands of README.md work when they are pasted, and print what it says."""

import re
import shlex
from pathlib import Path

import pytest

from numa_conformance.cli import main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COMMANDS = [
    line.partition("#")[0].partition(">")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("numa-conformance ")
    # What needs namespaces or a node at work: tests/cli/test_on.py and tests/living_node.
    and not line.startswith(("numa-conformance on ", "numa-conformance check-node"))
]


def run(command, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(command)[1:])
    out, err = capsys.readouterr()
    return ended.value.code, out, err


@pytest.mark.parametrize("command", [one for one in COMMANDS if " replay " not in one])
def test_a_command_works_when_it_is_pasted(command, capsys, monkeypatch):
    code, out, err = run(command, capsys, monkeypatch)
    assert code in (0, 1)
    assert out
    assert "error" not in err


def test_the_files_that_are_replayed_are_there():
    (command,) = [one for one in COMMANDS if " replay " in one]
    assert list((ROOT / command.split()[-1]).rglob("*.jsonl.gz"))


def test_what_is_shown_is_what_is_printed(capsys, monkeypatch):
    (shown,) = re.findall(r"```console\n\$ (.*?)```", README, re.DOTALL)
    command, *lines = shown.splitlines()
    _, out, _ = run(command, capsys, monkeypatch)
    printed = out.splitlines()
    cut = lines.index("...")
    assert printed[:cut] == lines[:cut]
    assert printed[-1] == lines[-1]
