"""Quality-of-service classes, and which requests count as exclusive CPUs."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Pod Quality of Service Classes"


def _requirement(id: str, text: str, *, page: str = _PAGE, section: str, since: str = "1.8") -> Requirement:
    return Requirement(
        id=f"qos/{id}", text=text, page=page, section=section, since=since, features=("node/qos",), area="qos"
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "guaranteed-needs-equal-limits-everywhere",
        "A pod is Guaranteed when every container has cpu and memory limits and requests equal to them.",
        section="Guaranteed",
    ),
    _requirement(
        "requests-default-to-limits",
        "A container with limits and no requests counts as requesting its limits.",
        section="Guaranteed",
    ),
    _requirement(
        "burstable-has-some-request",
        "A pod that is not Guaranteed and has a cpu or memory request or limit is Burstable.",
        section="Burstable",
    ),
    _requirement(
        "best-effort-has-none",
        "A pod without any cpu or memory request or limit is BestEffort, also when it asks for devices.",
        section="BestEffort",
    ),
    _requirement(
        "init-containers-count",
        "Init containers count: one without limits keeps a pod from being Guaranteed.",
        page="Init Containers",
        section="Resource sharing within containers",
    ),
    _requirement(
        "only-integral-cpus-are-exclusive",
        "Only an integral CPU request of a Guaranteed pod is a request for exclusive CPUs, however it is written.",
        page="Node Resource Managers",
        section="Static policy",
    ),
    _requirement(
        "pod-total-is-the-larger-of-init-and-apps",
        "A pod as a whole asks for the larger of its app containers' sum and its largest init container; sidecars "
        "count beside both.",
        page="Init Containers",
        section="Resource sharing within containers",
    ),
)
