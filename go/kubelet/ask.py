"""Build the kubelet's own managers as a target, and ask the suite at both levels.

    python go/kubelet/ask.py 1.34 [arguments of pytest]     # which minors there are: minors.txt

The program is kept in the user's cache folder and built anew when a source changed. Without Go nothing is asked.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import modules

HERE = Path(__file__).parent


def patches() -> dict[str, str]:
    """Return the patch of each minor, oldest first."""
    return {modules.minor_of(patch): patch for patch in (HERE / "minors.txt").read_text(encoding="utf-8").split()}


def build(minor: str) -> Path:
    """Build the target of a minor into the cache folder; Go itself knows what is there already."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numa-conformance"
    cache.mkdir(parents=True, exist_ok=True)
    program = cache / f"kubelet-{minor}"
    modules.go(*modules.BUILD, f"-modfile=minors/{minor}.mod", f"-tags={modules.tags(minor)}", "-o", str(program), ".")
    return program


def ask(program: Path, level: str, more: list[str]) -> int:
    """Let the suite ask the program at a level, from an empty folder; returns pytest's exit code."""
    with tempfile.TemporaryDirectory() as empty:
        words = ["-m", "pytest", "--numa-conformance", "--numa-level", level, "--numa-target-command", str(program)]
        return subprocess.run([sys.executable, *words, *more], cwd=empty, check=False).returncode


def main(words: list[str]) -> int:
    """Ask a minor (the newest if none is named) at both levels; the exit code is the worse of the two."""
    known = patches()
    minor, *more = words or [list(known)[-1]]
    if minor not in known:
        print(f"{minor!r} is none of the minors that there are adapters for: {', '.join(known)}", file=sys.stderr)
        return 2
    if shutil.which("go") is None:
        print("skipped: the kubelet is built with Go, which is not installed")
        return 0
    print(f"building the managers of Kubernetes {known[minor]} (minutes the first time)", flush=True)
    program = build(minor)
    return max([ask(program, level, more) for level in ("documented", "exact")])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
