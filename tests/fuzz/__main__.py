"""``python -m fuzz [READER...] --runs N``: coverage-guided, each reader in a process of its own, from its corpus.

Exits with 1 when something is found: the input lies among the new ones as ``crash-...``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from in_memory import keep_files_in_memory

from .corpus import CORPUS, inputs

NAMES = sorted(path.name for path in CORPUS.iterdir())
SLOW = 25
"""Seconds after which one input is too slow."""
MEMORY = 2048
"""MiB that a reader may take."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", help=f"of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--runs", type=int, default=20_000, help="inputs for each reader (default: 20000)")
    parser.add_argument("--seconds", type=int, default=0, help="time for each reader at most; 0 is no bound")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), help="where new inputs are kept")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    wanted = arguments.readers or NAMES
    unknown = sorted(set(wanted) - set(NAMES))
    if unknown:
        parser.error(f"there is no reader {unknown[0]!r} (accepted: {', '.join(NAMES)})")
    if arguments.one:
        fuzz_here(wanted[0], arguments)
    return max([fuzz(name, arguments) for name in wanted])


def fuzz(name: str, arguments: argparse.Namespace) -> int:
    (arguments.found / name).mkdir(parents=True, exist_ok=True)
    options = [f"--runs={arguments.runs}", f"--seconds={arguments.seconds}", f"--found={arguments.found}"]
    began = time.monotonic()
    command = [sys.executable, "-m", "fuzz", name, "--one", *options]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    done = " ".join(line for line in ended.stderr.splitlines() if line.startswith("Done"))
    sys.stdout.write(f"{name}: exit {ended.returncode} after {time.monotonic() - began:.0f} s. {done}\n")
    if ended.returncode:
        sys.stdout.write(f"{ended.stdout[-4000:]}{ended.stderr[-4000:]}\n")
    sys.stdout.flush()
    return 1 if ended.returncode else 0


def fuzz_here(name: str, arguments: argparse.Namespace) -> None:
    """Fuzz in this process, which libFuzzer ends."""
    import atheris

    keep_files_in_memory()
    with atheris.instrument_imports(include=["numa_conformance"]):
        from .readers import READERS
    options = [
        "fuzz",
        str(arguments.found / name),
        str(CORPUS / name),
        f"-runs={arguments.runs}",
        f"-max_total_time={arguments.seconds}",
        f"-timeout={SLOW}",
        f"-rss_limit_mb={MEMORY}",
        f"-artifact_prefix={arguments.found / name}/crash-",
        f"-max_len={2 * max(2048, *(path.stat().st_size for path in inputs(name)))}",
        "-print_final_stats=1",
    ]
    atheris.Setup(options, lambda data: READERS[name](data) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
