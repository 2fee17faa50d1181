"""Commands of the pages that are not run, each with its reason."""

import re

ABSENT = {
    r"mkdir [^-]|apt-get |python3 -m venv |pip install |pre-commit ": "prepares or installs",
    r"(kubectl|oc|helm) ": "asks a cluster",
    r".* cluster\.yaml ": "reads what kubectl wrote; examples/cluster beside it is read",
    r"(.*/)?tox run|.*/pip install --quiet tox": "runs everything there is",
    r"git ": "changes the reader's repository",
    r".*(command:|--(numa-)?target-command \"?\./|my-agent)": "names a program that the reader has or builds",
    r"(cc|go|cd rust-target) ": "needs the language's tools; tests/cli/test_init.py",
    r".*(my_allocator\.shim:|mine:)": "names a module that the reader has",
    r".*( before after| part1 | mine theirs | histories\.jsonl)": "reads reports that the reader has",
    r".* --from-node dump/": "reads a node; tests/cli/test_from_node.py and test_explain.py",
    r".* \"node examples/": "needs Node.js; tests/examples",
    r"\(cd examples/naive_python ": "takes long, as much is not met; tests/examples types it",
    r"cd examples/": "needs another's allocator; tests/examples",
    r".*--numa-kubelet |.*kubelet:\./kubelet|\.ci/build-kubelet ": "needs a kubelet; tests/lab/kubelet",
    r"numa-conformance machines run ": "needs Linux with namespaces; tests/cli/test_on.py",
    r".*--numa-device-plugin ": "starts a plugin on each machine; tests/lab/device_plugin",
    r".*--numa-dra-driver ": "starts a driver on each machine; tests/lab/dra",
    r".*--numa-nri-plugin ": "needs Go, and starts a plugin on each machine; tests/lab/nri",
    r"numa-conformance cluster ": "needs a cluster; tests/lab/cluster",
    r"numa-conformance (check-node|collect-node)": "needs a node at work; tests/doctor",
    r"numa-conformance serve pod-resources |.*device_plugin/plugin.py": "serves until stopped; tests/lab/node_agent",
    r"numa-conformance diff ": "takes a minute; tests/cli/test_diff.py",
}


def why_not(typed: str) -> str | None:
    """Return why a command is not run, nothing where it is."""
    return next((reason for pattern, reason in ABSENT.items() if re.match(pattern, typed)), None)
