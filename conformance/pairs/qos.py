"""Pods whose class, or whose exclusive CPUs, are told wrongly, and rightly."""

from collections.abc import Mapping
from typing import Any

from numa_conformance.asking.generators.workloads import best_effort, burstable, container, guaranteed, kubelet, pod
from numa_conformance.chapters import qos as chapter
from numa_conformance.judging.allocated import Classification
from numa_conformance.judging.node_subjects import Admission
from numa_conformance.judging.pods import BEST_EFFORT, BURSTABLE, GUARANTEED, PodSpec

from .worlds import admitted, held, node

APP = container("c", cpu="2", memory="1Gi", requests={"cpu": "2", "memory": "1Gi"})
INIT = container("init", cpu="3", memory="1Gi")
LESS = pod("p", [container("c", cpu="2", memory="1Gi", requests={"cpu": "1", "memory": "1Gi"})])
NO_REQUESTS = pod("p", [container("c", cpu="2", memory="1Gi")])
NO_LIMITS = pod("p", [APP], [container("init")])
AS_A_WHOLE = pod("p", [container("c")])
AS_A_WHOLE["spec"]["resources"] = {side: {"cpu": "2", "memory": "1Gi"} for side in ("limits", "requests")}
DEVICES = best_effort("p", **{"example.com/gpu": "1"})


def classed(written: Mapping[str, Any], qos: str) -> Classification:
    """Describe a pod of which the class is told."""
    return Classification(PodSpec.of(written), qos, {}, 0)


def exclusive(written: Mapping[str, Any], together: int, **cpus: int) -> Classification:
    """Describe a pod of which the exclusive CPUs are told, of all containers together and by container."""
    spec = PodSpec.of(written)
    return Classification(spec, spec.qos, cpus, together)


def admission_of(written: Mapping[str, Any], qos: str) -> Admission:
    """Admit a pod, and tell its class."""
    return admitted(node("t1-one-socket-smt2", kubelet()), written, qos, c=held())


PAIRS = {
    chapter.guaranteed_needs_equal_limits: (classed(LESS, GUARANTEED), classed(pod("p", [APP]), GUARANTEED)),
    chapter.requests_default_to_limits: (classed(NO_REQUESTS, BURSTABLE), classed(NO_REQUESTS, GUARANTEED)),
    chapter.burstable_has_some: (classed(burstable("p", 2), GUARANTEED), classed(burstable("p", 2), BURSTABLE)),
    chapter.best_effort_has_none: (classed(DEVICES, BURSTABLE), classed(DEVICES, BEST_EFFORT)),
    chapter.init_containers_count: (classed(NO_LIMITS, GUARANTEED), classed(NO_LIMITS, BURSTABLE)),
    chapter.resources_as_a_whole_decide: (classed(AS_A_WHOLE, BEST_EFFORT), classed(AS_A_WHOLE, GUARANTEED)),
    chapter.only_integral_cpus_are_exclusive: (
        exclusive(guaranteed("p", "1500m"), 2, c=2),
        exclusive(guaranteed("p", "1500m"), 0, c=0),
    ),
    chapter.the_pod_needs_the_larger: (
        exclusive(pod("p", [APP], [INIT]), 5, init=3, c=2),
        exclusive(pod("p", [APP], [INIT]), 3, init=3, c=2),
    ),
    chapter.admission_names_the_class: (admission_of(NO_REQUESTS, BURSTABLE), admission_of(NO_REQUESTS, GUARANTEED)),
}
