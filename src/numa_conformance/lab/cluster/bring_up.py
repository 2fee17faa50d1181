"""A cluster of real parts for one process: brought up by a process of its own, which ends with it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

from .control import OpenCluster, names_of_clusters, open_cluster


@contextlib.contextmanager
def bring_up(nodes: Path | None, options: Sequence[str]) -> Iterator[OpenCluster]:
    """Bring up a cluster, with the options of ``up``, and end it afterwards; raises ``RuntimeError`` with its words."""
    name = f"own-{uuid.uuid4().hex[:12]}"
    words = [sys.executable, "-m", "numa_conformance", "up", *([str(nodes)] if nodes else []), "--name", name, *options]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            output = _until_up(process, name)
            if output is not None:
                raise RuntimeError(f"the cluster did not come up: {output}")
            with open_cluster(name) as known:
                yield known
        finally:
            process.terminate()


def _until_up(process: subprocess.Popen[str], name: str) -> str | None:
    """Return None when a cluster is up, and what it said where it has ended."""
    assert process.stdout is not None
    output = []
    for line in process.stdout:
        output.append(line)
        if line.startswith("export KUBECONFIG=") and name in names_of_clusters():
            return None
    return "".join(output)
