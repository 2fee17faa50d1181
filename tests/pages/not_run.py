"""Commands of the pages that are not run, each with its reason."""

import re

ABSENT = {
    r"mkdir |apt-get |python3 -m venv |pip install |pre-commit ": "prepares or installs",
    r"kubectl |helm ": "asks a cluster",
    r"tox run|.*/tox run": "runs everything there is",
    r"eval ": "changes the reader's shell",
    r"git ": "changes the reader's repository",
    r".*(my-allocator|my_allocator\.shim|mypackage|my_target|my-agent|mine|theirs|command:|before after|part1)": "names what the reader has",
    r".*--numa-kubelet |\.ci/build-kubelet ": "needs a kubelet; tests/real_kubelet",
    r"numa-conformance on ": "needs Linux with namespaces; tests/cli/test_on.py",
    r"numa-conformance (check-node|collect-node)": "needs a node at work; tests/living_node",
    r"numa-conformance serve-pod-resources |.*device_plugin/plugin.py": "serves until it is stopped; tests/node_agent",
    r".* cluster\.yaml ": "reads what kubectl wrote; examples/cluster beside it is read",
    r"cd examples/(hwloc|nova) ": "needs another's allocator; tests/examples",
    r".* histories.jsonl": "reads what a run has kept; tests/cli/test_judge.py",
    r"numa-conformance replay conformance/": "takes a minute; tests/cli/test_replay.py",
    r"numa-conformance diff ": "takes a minute; tests/cli/test_diff.py",
}


def why_not(typed: str) -> str | None:
    """Return why a command is not run, nothing where it is."""
    return next((reason for pattern, reason in ABSENT.items() if re.match(pattern, typed)), None)
