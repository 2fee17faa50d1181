"""Level exact: what the kubelet does, to the CPU id, beyond what the documentation states."""

from __future__ import annotations

from ...documentation.options import STATIC_OPTIONS
from .requirement import Requirement

__all__ = ["COMPARING_IDS", "REQUIREMENTS"]

_RECORDED = {
    "admission": ("topology-manager/none", "admissions of pods on one node, all managers together"),
    "lifecycle": ("node/restart", "restarts, reconcile passes and state files of one node"),
    "cpu-static": ("cpu-manager/static", "single allocations of the static policy, with their hints"),
    "merge": ("topology-manager/best-effort", "merges of provider hints"),
    "qos": ("node/qos", "classes of pods"),
    "noderesourcesfit": ("scheduler/least-allocated", "scores of nodes"),
}
_STATIC = "cpu-manager/static"
_HISTORIES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "classes": ("Every class and number of exclusive CPUs of the sweeps is the kubelet's.", ("node/qos",), "all"),
    "picks": ("Every choice of CPUs of the sweeps is the kubelet's own.", (_STATIC,), "placements"),
    "allocations": ("Every single allocation of the sweeps is the kubelet's own.", (_STATIC,), "placements"),
    "hints": ("Every list of CPU hints of the sweeps is the kubelet's.", (_STATIC, "cpu-manager/hints"), "all"),
    "merges": (
        "Every merge of hints comes out as the kubelet's.",
        ("topology-manager/best-effort",),
        "all",
    ),
    "scores": ("Every score of the sweeps is kube-scheduler's.", ("scheduler/least-allocated",), "scores"),
    "starts": (
        "Every start of the sweeps ends as the kubelet's, with the same pools and the same first pod.",
        (_STATIC,),
        "placements",
    ),
    "lives": (
        "Every answer of the generated lives of nodes is the kubelet's: placements, refusals, state and state files.",
        (_STATIC,),
        "placements",
    ),
    "relations": ("Every answer to pods that are asked for again is the kubelet's.", (_STATIC,), "placements"),
    "crashes": (
        "After every write of a state file a node that ended there comes up as the kubelet does.",
        (_STATIC, "node/restart", "node/writes"),
        "placements",
    ),
    "damages": (
        "With damaged, old and foreign state files a node does what the kubelet does.",
        (_STATIC, "node/restart", "cpu-manager/state-file"),
        "placements",
    ),
}
"""Group of scenarios to what is asked, the features it needs, and the statement it rests on."""


def _requirement(id: str, text: str, *features: str, statement: str, since: str = "1.32") -> Requirement:
    return Requirement(
        id=f"exact/{id}",
        text=text,
        statements=(f"recorded/decisions/{statement}",),
        since=since,
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
        _requirement(f"histories/{group}", text, *features, statement=statement, since="1.27")
        for group, (text, features, statement) in _HISTORIES.items()
    ),
    *(
        _requirement(
            f"recorded/{kind}", f"The recorded {what} come out the same.", feature, statement="all", since="1.27"
        )
        for kind, (feature, what) in _RECORDED.items()
    ),
)

_WITHOUT_IDS = {"scores", "histories/classes", "histories/hints", "histories/merges", "histories/scores"}
_WITHOUT_IDS |= {"recorded/merge", "recorded/qos", "recorded/noderesourcesfit"}
COMPARING_IDS = frozenset(one.id for one in REQUIREMENTS) - {f"exact/{name}" for name in _WITHOUT_IDS}
"""Those in which the ids of CPUs are compared."""
