"""What ends each ``--help``: one or two commands that a reader can type, the files of ``examples/`` in their places."""

from __future__ import annotations

from collections.abc import Mapping

import click

_NODE = "--machine amd-milan-7763-nps4 --config examples/node/kubelet.yaml"

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "": (f"simulate {_NODE} examples/node/pods.yaml", "machines show amd-milan-7763-nps4"),
    "machines": ("machines", "machines show amd-milan-7763-nps4"),
    "machines list": ("machines list",),
    "machines show": ("machines show amd-milan-7763-nps4",),
    "machines export": ("machines export amd-milan-7763-nps4 milan",),
    "on": ("on amd-milan-7763-nps4 -- lscpu",),
    "kubelet-target": ("smoke --target-command 'numa-conformance kubelet-target ./kubelet'",),
    "device-plugin-target": (
        "smoke --target-command 'numa-conformance device-plugin-target -- ./my-plugin {plugin_folder} {host_root}'",
    ),
    "dra-target": ("smoke --target-command 'numa-conformance dra-target -- ./my-driver --kubeconfig {kubeconfig}'",),
    "nri-target": (
        "smoke --target-command 'numa-conformance nri-target -- ./my-plugin -socket {nri_socket} -root {host_root}'",
    ),
    "check-node": ("check-node", "check-node --root /tmp/dump"),
    "collect-node": ("collect-node /tmp/dump",),
    "capture": ("capture --name mine",),
    "simulate": (f"simulate {_NODE} examples/node/pods.yaml", "simulate --from-node worker-1.tar.gz pods.yaml"),
    "explain": (f"explain {_NODE} examples/node/pods.yaml", "explain --from-node worker-1.tar.gz pods.yaml"),
    "serve-pod-resources": (f"serve-pod-resources {_NODE} --root /tmp/kubelet",),
    "lint": ("lint --machine amd-milan-7763-nps4 examples/node/unwise.yaml",),
    "score": (
        "score --nodes examples/cluster/nodes.yaml --config examples/cluster/scheduler.yaml examples/cluster/pod.yaml",
    ),
    "cluster": ("cluster --nodes examples/cluster/nodes.yaml --pods examples/cluster/workload.yaml",),
    "up": ("up nodes.yaml",),
    "status": ("status",),
    "on-node": ("on-node worker-1 -- lscpu",),
    "check-exporter": ("check-exporter", "check-exporter milan --steps 30"),
    "check-scheduler": ("check-scheduler", "check-scheduler my-scheduler --exporter --workloads 20"),
    "down": ("down",),
    "replay": ("replay decisions.jsonl.gz",),
    "diff": ("diff reference:exact@1.35 reference:exact@1.36",),
    "which-kubelet": ("which-kubelet 'command:./my-kubelet --stdio'", "which-kubelet kubelet:./kubelet"),
    "bisect": (f"bisect {_NODE} examples/node/pods.yaml", "bisect --from 1.31 --to 1.34 --real histories.jsonl"),
    "record": ("record decisions.jsonl.gz --target mine:make --output answers.jsonl",),
    "judge": ("judge numa-report/histories/lives.jsonl",),
    "smoke": ("smoke", "smoke --target-command ./my-allocator"),
    "schema": ("schema protocol", "schema examples"),
    "examples": ("examples",),
    "init": ("init go my-allocator",),
    "requirements": ("requirements 'cpu-manager/full-pcpus-only/*'",),
    "report": ("report compare before after", "report matrix mine theirs -o matrix.html"),
    "report compare": ("report compare before after",),
    "report known-failures": (
        "report known-failures mine known-failures.yaml --reason planned --link https://example.com/7",
    ),
    "report matrix": ("report matrix mine theirs -o matrix.html",),
    "report merge": ("report merge part1 part2 -o whole",),
    "quirks": ("quirks 'distribution-*'",),
}
"""By command, the empty one for the program itself: what is typed after the program's name."""


WITH_FILES = "Examples (numa-conformance examples writes their files):"


def with_examples(command: click.Command, name: str = "") -> click.Command:
    """Let the help of a command end with its examples, and that of each below a group."""
    typed = (f"  numa-conformance {each}" for each in EXAMPLES[name])
    heading = WITH_FILES if any("examples/" in each for each in EXAMPLES[name]) else "Examples:"
    command.epilog = "\b\n" + "\n".join([heading, *typed])
    if name and isinstance(command, click.Group):
        for below, each in command.commands.items():
            with_examples(each, f"{name} {below}")
    return command
