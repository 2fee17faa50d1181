"""Level exact: what the kubelet does, to the CPU id, beyond what the documentation states."""

from __future__ import annotations

from .cpu_options import OF_EVERY_OPTION
from .requirement import Requirement

_RECORDED = {
    "exact/recorded/admission": ("topology-manager/none", "admissions of pods on one node, all managers together"),
    "exact/recorded/lifecycle": ("node/restart", "restarts, reconcile passes and state files of one node"),
    "exact/recorded/cpu-static": ("cpu-manager/static", "single allocations of the static policy, with their hints"),
    "exact/recorded/merge": ("topology-manager/best-effort", "merges of provider hints"),
    "exact/recorded/qos": ("node/qos", "classes of pods"),
    "exact/recorded/noderesourcesfit": ("scheduler/least-allocated", "scores of nodes"),
}
_STATIC = "cpu-manager/static"
_HISTORIES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "exact/histories/classes": (
        "Every class and number of exclusive CPUs of the sweeps is the kubelet's.",
        ("node/qos",),
        "all",
    ),
    "exact/histories/picks": ("Every choice of CPUs of the sweeps is the kubelet's own.", (_STATIC,), "placements"),
    "exact/histories/allocations": (
        "Every single allocation of the sweeps is the kubelet's own.",
        (_STATIC,),
        "placements",
    ),
    "exact/histories/hints": (
        "Every list of CPU hints of the sweeps is the kubelet's.",
        (_STATIC, "cpu-manager/hints"),
        "all",
    ),
    "exact/histories/merges": (
        "Every merge of hints comes out as the kubelet's.",
        ("topology-manager/best-effort",),
        "all",
    ),
    "exact/histories/scores": (
        "Every score of the sweeps is kube-scheduler's.",
        ("scheduler/least-allocated",),
        "scores",
    ),
    "exact/histories/starts": (
        "Every start of the sweeps ends as the kubelet's, with the same pools and the same first pod.",
        (_STATIC,),
        "placements",
    ),
    "exact/histories/lives": (
        "Every answer of the generated lives of nodes is the kubelet's: placements, refusals, state and state files.",
        (_STATIC,),
        "placements",
    ),
    "exact/histories/relations": (
        "Every answer to pods that are asked for again is the kubelet's.",
        (_STATIC,),
        "placements",
    ),
    "exact/histories/crashes": (
        "After every write of a state file a node that ended there comes up as the kubelet does.",
        (_STATIC, "node/restart", "node/writes"),
        "placements",
    ),
    "exact/histories/damages": (
        "With damaged, old and foreign state files a node does what the kubelet does.",
        (_STATIC, "node/restart", "cpu-manager/state-file"),
        "placements",
    ),
}
"""The id, which ends in a group of scenarios, to what is asked, the features it needs, the statement it rests on."""


def _requirement(id: str, text: str, *features: str, statement: str, since: str = "1.32") -> Requirement:
    return Requirement(
        id=id,
        text=text,
        statements=(f"recorded/decisions/{statement}",),
        since=since,
        features=features,
        area="exact",
        level="exact",
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "exact/placements/static",
        "Policy static places containers as the golden snapshots show: the kubelet's, or the target's own.",
        "cpu-manager/static",
        statement="placements",
    ),
    *(
        _requirement(
            ids.placements,
            f"With {option} containers are placed as the golden snapshots show: the kubelet's, or the target's own.",
            "cpu-manager/static",
            f"cpu-manager/{option}",
            statement="placements",
        )
        for option, ids in OF_EVERY_OPTION.items()
    ),
    _requirement(
        "exact/scores",
        "Nodes are scored to the point as the golden snapshots show: kube-scheduler's, or the target's own.",
        "scheduler/least-allocated",
        "scheduler/most-allocated",
        "scheduler/requested-to-capacity-ratio",
        statement="scores",
    ),
    *(
        _requirement(id, text, *features, statement=statement, since="1.27")
        for id, (text, features, statement) in _HISTORIES.items()
    ),
    *(
        _requirement(id, f"The recorded {what} come out the same.", feature, statement="all", since="1.27")
        for id, (feature, what) in _RECORDED.items()
    ),
)

GOLDEN_IDS = frozenset(
    requirement.id for requirement in REQUIREMENTS if requirement.id.startswith(("exact/placements/", "exact/scores"))
)
"""Those that golden snapshots show."""
_WITHOUT_IDS = {
    "exact/scores",
    "exact/histories/classes",
    "exact/histories/hints",
    "exact/histories/merges",
    "exact/histories/scores",
    "exact/recorded/merge",
    "exact/recorded/qos",
    "exact/recorded/noderesourcesfit",
}
COMPARING_IDS = frozenset(requirement.id for requirement in REQUIREMENTS) - _WITHOUT_IDS
"""Those in which the ids of CPUs are compared."""
