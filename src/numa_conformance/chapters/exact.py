"""Level exact: what the kubelet does, to the CPU id, beyond what the documentation states."""

from __future__ import annotations

from ..judging.chapter import Chapter
from .cpu.options.maturity import PLACEMENTS

_RECORDED = {
    "exact/recorded/admission": ("topology-manager/none", "admissions of pods on one node, all managers together"),
    "exact/recorded/lifecycle": ("node/restart", "restarts, reconcile passes and state files of one node"),
    "exact/recorded/cpu-static": ("cpu-manager/static", "single allocations of the static policy, with their hints"),
    "exact/recorded/merge": ("topology-manager/best-effort", "merges of provider hints"),
    "exact/recorded/qos": ("node/qos", "classes of pods"),
    "exact/recorded/noderesourcesfit": ("scheduler/least-allocated", "scores of nodes"),
}
_STATIC = "cpu-manager/static"
_SNAPSHOTS = "as the golden snapshots show"
_HISTORIES: dict[str, tuple[str, ...]] = {
    "exact/histories/classes": (
        "all",
        "Every class and number of exclusive CPUs of the sweeps is the kubelet's.",
        "node/qos",
    ),
    "exact/histories/picks": ("placements", "Every choice of CPUs of the sweeps is the kubelet's own.", _STATIC),
    "exact/histories/allocations": (
        "placements",
        "Every single allocation of the sweeps is the kubelet's own.",
        _STATIC,
    ),
    "exact/histories/hints": (
        "all",
        "Every list of CPU hints of the sweeps is the kubelet's.",
        _STATIC,
        "cpu-manager/hints",
    ),
    "exact/histories/merges": (
        "all",
        "Every merge of hints comes out as the kubelet's.",
        "topology-manager/best-effort",
    ),
    "exact/histories/scores": ("scores", "Every score of the sweeps is kube-scheduler's.", "scheduler/least-allocated"),
    "exact/histories/starts": (
        "placements",
        "Every start of the sweeps ends as the kubelet's, with the same pools and the same first pod.",
        _STATIC,
    ),
    "exact/histories/lives": (
        "placements",
        "Every answer of the generated lives of nodes is the kubelet's: placements, refusals, state and state files.",
        _STATIC,
    ),
    "exact/histories/worlds": (
        "placements",
        "Every answer of the lives on small machines is the kubelet's: placements, refusals, state and state files.",
        _STATIC,
    ),
    "exact/histories/relations": (
        "placements",
        "Every answer to pods that are asked for again is the kubelet's.",
        _STATIC,
    ),
    "exact/histories/crashes": (
        "placements",
        "After every write of a state file a node that ended there comes up as the kubelet does.",
        _STATIC,
        "node/restart",
        "node/writes",
    ),
    "exact/histories/damages": (
        "placements",
        "With damaged, old and foreign state files a node does what the kubelet does.",
        _STATIC,
        "node/restart",
        "cpu-manager/state-file",
    ),
}
"""The id, which ends in a group of scenarios, to the decisions it rests on, what is asked, the features it needs."""


def _declare(id: str, text: str, *features: str, statement: str, since: str = "1.32") -> None:
    chapter.sentence(id, text, *features, rests_on=(f"recorded/decisions/{statement}",), since=since, level="exact")


chapter = Chapter()
_declare(
    "exact/placements/static",
    "Policy static places containers as the golden snapshots show: the kubelet's, or the target's own.",
    _STATIC,
    statement="placements",
)
for _option, _id in PLACEMENTS.items():
    _text = f"With {_option} containers are placed as the golden snapshots show: the kubelet's, or the target's own."
    _declare(_id, _text, _STATIC, f"cpu-manager/{_option}", statement="placements")
_declare(
    "exact/scores",
    "Nodes are scored to the point as the golden snapshots show: kube-scheduler's, or the target's own.",
    "scheduler/least-allocated",
    "scheduler/most-allocated",
    "scheduler/requested-to-capacity-ratio",
    statement="scores",
)
for _id, (_statement, _text, *_features) in _HISTORIES.items():
    _declare(_id, _text, *_features, statement=_statement, since="1.27")
for _id, (_feature, _what) in _RECORDED.items():
    _declare(_id, f"The recorded {_what} come out the same.", _feature, statement="all", since="1.27")

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
GOLDEN_IDS = frozenset({"exact/placements/static", *PLACEMENTS.values(), "exact/scores"})
"""Those that golden snapshots show."""
COMPARING_IDS = (GOLDEN_IDS | _HISTORIES.keys() | _RECORDED.keys()) - _WITHOUT_IDS
"""Those in which the ids of CPUs are compared."""
