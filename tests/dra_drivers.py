"""The DRA driver of ours in Go: built once, and the ways in which it can be wrong."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples/dra_driver"
WRONG = {
    "counts-nodes": "attributes/numa-node",
    "other-node": "attributes/numa-node",
    "other-socket": "attributes/socket",
    "one-too-few": "claims/get-what-they-consume",
    "too-much": "claims/can-have-what-is-published",
    "keeps": "unprepare/gives-back",
    "refuses-again": "unprepare/of-nothing-is-no-error",
    "anew": "claims/prepare-is-idempotent",
    "forgets": "claims/have-cpus-of-their-own",
    "overlaps": "claims/have-cpus-of-their-own",
    "gives-reserved": "claims/leave-reserved-cpus-alone",
}
"""The flag of ``examples/dra_driver``, and what it breaks at least."""


def machine_for(way: str) -> str:
    """Return a machine of the catalogue on which one that is wrong in a way shows it."""
    return {"counts-nodes": "sparse-ids", "other-socket": "t2-two-sockets-interleaved"}.get(way, "snc2-small")


def build(program: Path) -> str:
    """Build it, from modules that are there: nothing is downloaded for a test."""
    if shutil.which("go") is None:
        pytest.skip("needs Go, which is not installed")
    environment = {**os.environ, "GOPROXY": "off"}
    command = ["go", "build", "-o", str(program), "."]
    if subprocess.run(command, cwd=EXAMPLE, env=environment, capture_output=True, check=False).returncode:
        pytest.skip("needs k8s.io/dynamic-resource-allocation: `go build` in examples/dra_driver downloads it")
    return str(program)
