"""The programs to bring clusters up with: ``NUMA_TEST_CLUSTER``, a folder as ``.ci/build-cluster`` makes it."""

import json
import os
import subprocess
import sys

import pytest

from processes import PATIENCE

FOLDER = os.environ.get("NUMA_TEST_CLUSTER", "")
needs_cluster = pytest.mark.skipif(
    not FOLDER, reason="NUMA_TEST_CLUSTER names no folder (tox run -e real-cluster builds one, in minutes)"
)


def pod(name, cpu, memory="64Mi", **extra):
    """A Guaranteed pod of one container."""
    limits = {"cpu": str(cpu), "memory": memory}
    return {
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "c", "resources": {"limits": limits}}], **extra},
    }


def check(cluster, command, *flags):
    """The exit code and the JSON of a command that checks a cluster that is up."""
    words = ["cluster", command, "--name", cluster.name, *flags, "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "numa_conformance", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    return done.returncode, json.loads(done.stdout)


def on(node, manifest):
    """The same pod, for one node alone."""
    return {**manifest, "spec": {**manifest["spec"], "nodeSelector": {"kubernetes.io/hostname": node}}}
