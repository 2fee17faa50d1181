"""Quality-of-service classes, and which requests count as exclusive CPUs."""

from __future__ import annotations

from .requirement import Family, Requirement

_requirement = Family(since="1.8", features=("node/qos",))

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "qos/guaranteed-needs-equal-limits-everywhere",
        "A pod is Guaranteed when every container has cpu and memory limits and requests equal to them.",
        statements=(
            "pod-qos/guaranteed/every-container",
            "cpu-1.8/static/example-classes",
            "topology/interactions/spec-3-class",
            "nrm/static/example-3-class",
            "nrm/static/example-4-class",
            "nrm/static/example-5-class",
            "topology/interactions/spec-4-class",
            "sidecars/resources/qos-covers-sidecars",
        ),
    ),
    _requirement(
        "qos/requests-default-to-limits",
        "A container with limits and no requests counts as requesting its limits.",
        statements=("nrm/static/requests-default-to-limits", "nrm/static/example-6-class"),
    ),
    _requirement(
        "qos/burstable-has-some-request",
        "A pod that is not Guaranteed and has a cpu or memory request or limit is Burstable.",
        statements=(
            "pod-qos/burstable/some-request",
            "cpu-1.8/static/example-classes",
            "nrm/static/example-2-class",
            "topology/interactions/spec-2-class",
        ),
    ),
    _requirement(
        "qos/best-effort-has-none",
        "A pod without any cpu or memory request or limit is BestEffort, also when it asks for devices.",
        statements=(
            "pod-qos/best-effort/none",
            "pod-qos/best-effort/other-resources",
            "cpu-1.8/static/example-classes",
            "nrm/static/example-1-class",
            "topology/interactions/spec-1-class",
            "topology/interactions/spec-5-class",
        ),
    ),
    _requirement(
        "qos/init-containers-count",
        "Init containers count: one without limits keeps a pod from being Guaranteed.",
        statements=("init-containers/resources/qos-covers-init",),
    ),
    _requirement(
        "qos/only-integral-cpus-are-exclusive",
        "Only an integral CPU request of a Guaranteed pod is a request for exclusive CPUs, however it is written.",
        statements=("nrm/static/only-whole-guaranteed-is-exclusive", "nrm/static/at-least-one-cpu"),
    ),
    _requirement(
        "qos/pod-total-is-the-larger-of-init-and-apps",
        "A pod as a whole asks for the larger of its app containers' sum and its largest init container; sidecars "
        "count beside both.",
        statements=(
            "init-containers/resources/effective-request",
            "init-containers/resources/largest-init",
            "sidecars/resources/count-beside-apps",
            "topology-source/cpu-hints/pod-total",
        ),
    ),
)
