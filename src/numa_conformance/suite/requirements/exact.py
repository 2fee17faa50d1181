"""Level exact: what the kubelet does, to the CPU id, beyond what the documentation states."""

from __future__ import annotations

from ...documentation.options import STATIC_OPTIONS
from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_RECORDED = {
    "admission": ("topology-manager/none", "admissions of pods on one node, all managers together"),
    "lifecycle": ("node/restart", "restarts, reconcile passes and state files of one node"),
    "cpu-static": ("cpu-manager/static", "single allocations of the static policy, with their hints"),
    "merge": ("topology-manager/best-effort", "merges of provider hints"),
    "qos": ("node/qos", "classes of pods"),
    "noderesourcesfit": ("scheduler/least-allocated", "scores of nodes"),
}
_HISTORIES = {
    "picks": "Every choice of CPUs of the sweeps is the kubelet's own.",
    "starts": "Every start of the sweeps ends as the kubelet's, with the same pools and the same first pod.",
    "lives": "Every answer of the generated lives of nodes is the kubelet's: placements, refusals and state.",
}


def _requirement(id: str, text: str, *features: str, statement: str, until: str | None = "1.32") -> Requirement:
    return Requirement(
        id=f"exact/{id}",
        text=text,
        statements=(f"recorded/decisions/{statement}",),
        since="1.32",
        until=until,
        features=features,
        area="exact",
        level="exact",
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "placements/static",
        "Policy static places containers on the kubelet's own CPUs.",
        "cpu-manager/static",
        statement="placements",
    ),
    *(
        _requirement(
            f"placements/{option}",
            f"With {option} containers are placed on the kubelet's own CPUs.",
            "cpu-manager/static",
            f"cpu-manager/{option}",
            statement="placements",
        )
        for option in STATIC_OPTIONS
    ),
    _requirement(
        "scores",
        "Nodes are scored to the point as kube-scheduler scores them.",
        "scheduler/least-allocated",
        "scheduler/most-allocated",
        "scheduler/requested-to-capacity-ratio",
        statement="scores",
    ),
    *(
        _requirement(f"histories/{group}", text, "cpu-manager/static", statement="placements")
        for group, text in _HISTORIES.items()
    ),
    *(
        _requirement(
            f"recorded/{kind}", f"The recorded {what} come out the same.", feature, statement="all", until=None
        )
        for kind, (feature, what) in _RECORDED.items()
    ),
)
