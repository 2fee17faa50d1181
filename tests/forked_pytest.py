"""A pytest run in a process of its own, forked from one that has the imports behind it."""

import contextlib
import gc
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from processes import PATIENCE

FORKS = multiprocessing.get_context("forkserver")
_IMPORTED = """pytest pyfakefs.pytest_plugin syrupy xdist.plugin hypothesis.stateful jsonschema
    numa_conformance.plugin.conformance numa_conformance.report.writers numa_conformance.report.html
    numa_conformance.asking.examples.node_run numa_conformance.asking.strategies.workloads execnet mutants warmed"""
FORKS.set_forkserver_preload(_IMPORTED.split())
PATIENT = f"--numa-timeout={PATIENCE:g}"
"""A call of a target, its start above all, may take that long on a busy machine; who tests the limit says another."""


def run_pytest(folder: Path, *args: str, timeout: float = PATIENCE) -> pytest.RunResult:
    """Run ``pytest`` with these arguments in this folder, with the environment of this process.

    Modules of the folder can be imported. The suite's generated conversations are kept short unless the arguments say
    otherwise.
    """
    if "--numa-conformance" in args and "--numa-budget" not in args:
        args = (*args, "--numa-budget", "2%")
    return _run(folder, args, dict(os.environ), timeout, [str(folder)])


def run_as_typed(folder: Path, *args: str, timeout: float = PATIENCE, **environment: str) -> pytest.RunResult:
    """Run what a user types, ``pytest`` and these arguments, with more variables in the environment."""
    args = (*args, "-W", "ignore::pytest.PytestAssertRewriteWarning")  # it tells of what was imported before the fork
    return _run(folder, args, {**os.environ, **environment}, timeout, [])


def _run(
    folder: Path, args: tuple[str, ...], environment: dict[str, str], timeout: float, found: list[str]
) -> pytest.RunResult:
    """Run it; modules are found in the folders ``found`` too."""
    if "--numa-conformance" in args:
        environment["PYTEST_ADDOPTS"] = f"{environment.get('PYTEST_ADDOPTS', '')} {PATIENT}"
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        out, err = (Path(place, kind) for kind in ("out", "err"))
        process = FORKS.Process(target=_main, args=(folder, args, environment, found, out, err))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
        printed = [path.read_text(encoding="utf-8").splitlines() for path in (out, err)]
    return pytest.RunResult(process.exitcode, *printed, time.monotonic() - begun)


def _main(
    folder: Path, args: tuple[str, ...], environment: dict[str, str], found: list[str], out: Path, err: Path
) -> None:
    gc.freeze()  # what was imported before stays, and its memory is shared as long as nobody looks at it
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[:0] = found
    with (
        out.open("w", encoding="utf-8") as stdout,
        err.open("w", encoding="utf-8") as stderr,
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        code = pytest.main(list(args))
    raise SystemExit(int(code))
