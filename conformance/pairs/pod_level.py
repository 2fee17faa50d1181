"""Pods that get their CPUs as a whole, served wrongly by one sentence, and rightly."""

from collections.abc import Mapping
from typing import Any

from numa_conformance.asking.generators.workloads import container, pod, static
from numa_conformance.chapters.cpu import pod_level as chapter
from numa_conformance.judging.node_subjects import Admission, Restart

from .worlds import admitted, bits, held, node, refused

OWN, SHARE = container("own", cpu="2", memory="64Mi"), container("share")


def node_of(scope: str, policy: str = "best-effort") -> dict[str, Any]:
    """Configure a node that serves pods as a whole."""
    gates = {"PodLevelResources": True, "PodLevelResourceManagers": True}
    return static(topology=policy, scope=scope, featureGates=gates)


def of(cpus: int, *containers: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a pod of so many CPUs as a whole."""
    wanted, amounts = pod("p", containers), {"cpu": str(cpus), "memory": "1Gi"}
    wanted["spec"]["resources"] = {"requests": amounts, "limits": amounts}
    return wanted


def served(scope: str, *, own: str, share: str = "", policy: str = "best-effort") -> Admission:
    """Admit a pod of four CPUs: one of its containers has two for itself, the other shares."""
    before = node("t3-two-numa-per-socket", node_of(scope, policy))
    return admitted(before, of(4, OWN, SHARE), own=held(own), share=held(share))


def restarted(pool: str) -> Restart:
    """Restart a node with a pod of four CPUs, whose container has two of them for itself."""
    before = served("pod", own="1,17").after.with_pool(bits("0,3-16,19-31"))
    return Restart(before, before.with_pool(bits(pool)), True, {"p": {"own": held("1,17")}})


BEFORE, WANTED = node("t3-two-numa-per-socket", node_of("pod")), of(2, OWN, SHARE)
RIGHT = served("pod", own="1,17", share="2,18")
PAIRS = {
    chapter.takes_all_cpus_of_the_pod: (served("pod", own="1,17", share="2"), RIGHT),
    chapter.keeps_all_cpus_over_a_restart: (restarted("0,2-16,18-31"), restarted("0,3-16,19-31")),
    chapter.aligns_the_pod_once: (
        served("pod", own="1,17", share="4,20", policy="single-numa-node"),
        served("pod", own="1,17", share="2,18", policy="single-numa-node"),
    ),
    chapter.gives_exclusive_slices: (served("pod", own="1,17", share="1-2,17"), RIGHT),
    chapter.others_share_what_is_left: (served("pod", own="1,17"), RIGHT),
    chapter.others_run_in_the_pool_of_the_node: (
        served("container", own="1,17", share="2,18"),
        served("container", own="1,17"),
    ),
    chapter.refuses_an_empty_pool: (admitted(BEFORE, WANTED, own=held("1,17")), refused(BEFORE, WANTED)),
    chapter.admits_what_fits: (refused(BEFORE, of(4, OWN, SHARE)), RIGHT),
}
