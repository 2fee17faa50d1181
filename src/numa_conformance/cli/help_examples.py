"""What ends each ``--help``: one or two commands that a reader can type, the files of ``examples/`` in their places."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EXAMPLES"]

_NODE = "--machine amd-milan-7763-nps4 --config examples/node/kubelet.yaml"

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "machines": ("machines", "machines show amd-milan-7763-nps4"),
    "on": ("on amd-milan-7763-nps4 -- lscpu",),
    "kubelet-target": ("smoke --target-command 'numa-conformance kubelet-target ./kubelet'",),
    "check-node": ("check-node", "check-node --root /tmp/dump"),
    "collect-node": ("collect-node /tmp/dump",),
    "capture": ("capture --name mine",),
    "simulate": (f"simulate {_NODE} examples/node/pods.yaml", "simulate --from-node worker-1.tar.gz pods.yaml"),
    "explain": ("explain pods.yaml --from-node worker-1.tar.gz",),
    "serve-pod-resources": (f"serve-pod-resources {_NODE} --root /tmp/kubelet",),
    "lint": ("lint --machine amd-milan-7763-nps4 examples/node/unwise.yaml",),
    "score": (
        "score --nodes examples/cluster/nodes.yaml --config examples/cluster/scheduler.yaml examples/cluster/pod.yaml",
    ),
    "cluster": ("cluster --nodes examples/cluster/nodes.yaml --pods examples/cluster/workload.yaml",),
    "up": ("up nodes.yaml",),
    "status": ("status",),
    "on-node": ("on-node worker-1 -- lscpu",),
    "down": ("down",),
    "replay": ("replay decisions.jsonl.gz",),
    "diff": ("diff reference:exact@1.35 reference:exact@1.36",),
    "bisect": (
        "bisect --machine amd-genoa-9654-smt-off --config kubelet.yaml pods.yaml",
        "bisect --from 1.31 --to 1.34 --real histories.jsonl",
    ),
    "record": ("record decisions.jsonl.gz --target mine:make --output answers.jsonl",),
    "judge": ("judge numa-report/histories/lives.jsonl",),
    "smoke": ("smoke", "smoke --target-command ./my-allocator"),
    "schema": ("schema protocol", "schema examples"),
    "init": ("init go my-allocator",),
    "requirements": ("requirements 'cpu-manager/full-pcpus-only/*'",),
    "report": ("report compare before after", "report matrix mine theirs -o matrix.html"),
    "quirks": ("quirks 'distribution-*'",),
}
"""By command: what is typed after the program's name."""
