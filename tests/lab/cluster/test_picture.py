"""The picture of a cluster, of what its kubelets say that containers hold."""

from pathlib import Path
from types import SimpleNamespace

from numa_conformance.lab.cluster.answers import ClusterAnswers
from numa_conformance.machine import load_machine
from numa_conformance.wire.messages.node import ContainerHolding, MemoryBlock

HELD = {
    "app": ContainerHolding("1,9", memory=[MemoryBlock("memory", 2**30, [0])], devices={"example.com/gpu": ["gpu-0"]}),
    "helper": ContainerHolding(""),
}


def pod(name, node, phase="Running"):
    return {"metadata": {"name": name}, "spec": {"nodeName": node}, "status": {"phase": phase}}


def test_shows_each_node_with_who_has_what_and_the_pods_that_run_nowhere():
    plan = SimpleNamespace(machine=load_machine("two-nodes-devices"))
    node = SimpleNamespace(plan=plan, files=lambda: None, holdings=lambda pod, files: HELD)
    watch = SimpleNamespace(pods=lambda: [pod("a", "one"), pod("ended", "one", "Succeeded")])
    answers = ClusterAnswers({"one": node}, None, watch, None, Path(), {})
    assert answers.picture() == (
        "node one: two-nodes-devices\n"
        "socket 0, NUMA 0: memory 8Gi: a 1Gi\n"
        "    example.com/gpu: gpu-0 a, gpu-1, gpu-broken unhealthy\n"
        "  L3 0 | 0,8     | 1,9  aa | 2,10    | 3,11    |\n"
        "socket 1, NUMA 1: memory 8Gi\n"
        "    example.com/gpu: gpu-2, gpu-3\n"
        "  L3 1 | 4,12    | 5,13    | 6,14    | 7,15    |\n"
        "no NUMA node: example.com/usb: usb-0, usb-1, usb-2, usb-3\n"
        "\n"
        "a a/app\n"
        "- free, as cores without a symbol\n"
        "\n"
        "pod ended: Succeeded on one"
    )
