"""What a shell is told when it completes a command, by the variables that its script sets."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from asked_in_full import DEEP

WORDS = {
    "simulate --machine amd-mil": "amd-milan-7763-nps4",
    "machines show t1-": "t1-one-socket-smt2",
    "sim": "simulate",
    "simulate --kubernetes-v": "--kubernetes-version",
    "init r": "rust",
}


def completed(shell, typed):
    """Return what is offered for the last word of a command line."""
    line = f"numa-conformance {typed}"
    words = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)},
        "zsh": {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)},
        "fish": {"COMP_WORDS": line, "COMP_CWORD": line.split()[-1]},
    }[shell]
    environment = {**os.environ, **words, "_NUMA_CONFORMANCE_COMPLETE": f"{shell}_complete"}
    code = "from numa_conformance.cli import main; main([])"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("typed", WORDS if DEEP else [*WORDS][::3])
def test_a_word_is_completed(shell, typed):
    assert WORDS[typed] in completed(shell, typed)


def test_where_no_machine_begins_so_files_are_offered():
    assert completed("bash", "simulate --machine ./mine").strip() == "file,./mine"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_one_that_it_reads(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    code = "from numa_conformance.cli import main; main([])"
    environment = {**os.environ, "_NUMA_CONFORMANCE_COMPLETE": f"{shell}_source"}
    made = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    script = tmp_path / "completion"
    script.write_text(made.stdout)
    assert "numa-conformance" in made.stdout
    assert subprocess.run([shell, "-n", script], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("typed", WORDS if DEEP else [*WORDS][::3])
def test_bash_completes_by_the_line_of_the_page(typed):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    words = ["numa-conformance", *typed.split()]
    page = (Path(__file__).parents[2] / "docs/cli.md").read_text()
    (line,) = (line for line in page.splitlines() if "bash_source" in line)
    script = "\n".join(
        [
            line.split("`")[-2],
            f"COMP_WORDS=({' '.join(words)}) COMP_CWORD={len(words) - 1}",
            "_numa_conformance_completion numa-conformance",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        ]
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert WORDS[typed] in done.stdout.split(), done.stderr
