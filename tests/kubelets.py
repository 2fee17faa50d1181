"""The kubelets to test with: ``NUMA_TEST_KUBELETS``, paths with colons between, as ``.ci/build-kubelet`` makes them."""

import os
import subprocess
import sys

import pytest

PATHS = [path for path in os.environ.get("NUMA_TEST_KUBELETS", "").split(":") if path]
NAMESPACES = subprocess.run(
    [sys.executable, "-m", "numa_conformance", "machines", "run", "one-cpu", "true"],
    capture_output=True,
    text=True,
    check=False,
)
needs_namespaces = pytest.mark.skipif(
    NAMESPACES.returncode != 0, reason=f"this system has no mount namespaces for this user: {NAMESPACES.stderr.strip()}"
)
needs_kubelet = pytest.mark.skipif(
    not PATHS, reason="NUMA_TEST_KUBELETS names no kubelet (tox run -e real-kubelet builds some, which takes minutes)"
)
COMMAND = f"{sys.executable} -m numa_conformance serve kubelet"
