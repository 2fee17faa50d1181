"""Build the kubelet's own managers as a target, and ask the suite at both levels.

    python go/kubelet/ask.py 1.34 [arguments of pytest]     # which minors there are: minors.txt
    python go/kubelet/ask.py 1.34 --seed 7 [--seconds 300]  # odd machines alone: odd.py

Exits 0 where every case that failed has its reason in a quirk of that version (at level exact: where none failed),
1 where one has none, otherwise as pytest does. The program is kept in the user's cache folder and built anew when a
source changed; reports stand beside it. Without Go nothing is asked.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

import modules
import newer
import odd
import pytest

from numa_conformance.report.model import Summary
from numa_conformance.report.reading import read_report

HERE = Path(__file__).parent
ODD_SECONDS = 60.0
"""How long odd machines are asked about, unless ``--seconds`` says."""


def patches() -> dict[str, str]:
    """Return the patch of each minor, oldest first."""
    return {modules.minor_of(patch): patch for patch in (HERE / "minors.txt").read_text(encoding="utf-8").split()}


def build(minor: str) -> Path:
    """Build the target of a minor into the cache folder; Go itself knows what is there already."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numa-conformance"
    cache.mkdir(parents=True, exist_ok=True)
    program = cache.absolute() / f"kubelet-{minor}"
    modules.go(*modules.BUILD, f"-modfile=minors/{minor}.mod", f"-tags={modules.tags(minor)}", "-o", str(program), ".")
    return program


def ask(program: Path, level: str, more: list[str]) -> int:
    """Let the suite ask the program at a level, from an empty folder; returns the exit code."""
    report = program.with_name(f"{program.name}-{level}")
    words = ["--numa-conformance", "--numa-level", level, "--numa-target-command", shlex.quote(str(program)), *more]
    with tempfile.TemporaryDirectory() as empty:
        command = [sys.executable, "-m", "pytest", *words, "--numa-report", str(report)]
        code = subprocess.run(command, cwd=empty, check=False).returncode
    if code != pytest.ExitCode.TESTS_FAILED:
        return code
    line, explained = concluded(read_report(report))
    print(f"{line}: {report / 'index.html'}", flush=True)
    return 0 if explained else code


def concluded(report: Summary) -> tuple[str, bool]:
    """Return in a line what failed, and whether all of it has its reason in a quirk of the version."""
    failed = [case for case in report.cases if case.unmet]
    unexplained = [case.id for case in failed if not case.quirks]
    asked = report.planned - report.counts["not claimed"]
    line = f"level {report.level}: {len(failed)} of {asked} cases failed, "
    if report.problems or report.counts["error"]:
        return f"{line}and the run itself has faults", False
    if unexplained:
        return f"{line}{len(unexplained)} of them without a quirk ({', '.join(unexplained)})", False
    return f"{line}each by a named quirk of Kubernetes {report.target.kubernetes}", True


def main(words: list[str]) -> int:
    """Ask a minor (the newest if none is named) at both levels, and about odd machines with the seed of the day.

    The exit code is the highest of them all. With ``--seed`` odd machines alone are asked about.
    """
    known = patches()
    parser = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seconds", type=float, default=ODD_SECONDS)
    options, rest = parser.parse_known_args(words)
    minor, *more = rest or [list(known)[-1]]
    if minor not in known:
        print(f"{minor!r} is none of the minors that there are adapters for: {', '.join(known)}", file=sys.stderr)
        return 2
    if shutil.which("go") is None:
        print("skipped: the kubelet is built with Go, which is not installed")
        return 0
    print(f"building the managers of Kubernetes {known[minor]} (minutes the first time)", flush=True)
    program = build(minor)
    print(newer.news(known[minor]), flush=True)
    if options.seed is not None:
        return odd.ask(program, options.seed, options.seconds)
    codes = [ask(program, level, more) for level in ("documented", "exact")]
    return max(*codes, 0 if more else odd.ask(program, date.today().toordinal(), options.seconds))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
