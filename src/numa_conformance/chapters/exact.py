"""Level exact: what the kubelet does, to the CPU id, beyond what the documentation states."""

from ..judging.chapter import Chapter, Requirement
from .cpu.options.maturity import PLACEMENTS

chapter = Chapter()
_STATIC = "cpu-manager/static"


def _declare(id: str, text: str, *features: str, rests_on: str, since: str = "1.27") -> Requirement:
    statements = (f"recorded/decisions/{rests_on}",)
    return chapter.sentence(id, text, *features, rests_on=statements, since=since, level="exact")


_OF_PLACEMENTS = [
    _declare(
        "exact/placements/static",
        "Policy static places containers as the golden snapshots show: the kubelet's, or the target's own.",
        _STATIC,
        rests_on="placements",
        since="1.32",
    )
]
for _option, _id in PLACEMENTS.items():
    _text = f"With {_option} containers are placed as the golden snapshots show: the kubelet's, or the target's own."
    _features = (_STATIC, f"cpu-manager/{_option}")
    _OF_PLACEMENTS.append(_declare(_id, _text, *_features, rests_on="placements", since="1.32"))
_OF_SCORES = _declare(
    "exact/scores",
    "Nodes are scored to the point as the golden snapshots show: kube-scheduler's, or the target's own.",
    "scheduler/least-allocated",
    "scheduler/most-allocated",
    "scheduler/requested-to-capacity-ratio",
    rests_on="scores",
    since="1.32",
)
GOLDEN_IDS = frozenset(requirement.id for requirement in (*_OF_PLACEMENTS, _OF_SCORES))
"""Those that golden snapshots show."""

_ANSWER = "is the kubelet's: placements, refusals, state and state files."
_CLASS = "Every class and number of exclusive CPUs of the sweeps is the kubelet's."
_ALLOCATION = "Every single allocation of the sweeps is the kubelet's own."
_MERGE = "Every merge of hints comes out as the kubelet's."
_HINT = "Every list of CPU hints of the sweeps is the kubelet's."
_START = "Every start of the sweeps ends as the kubelet's, with the same pools and the same first pod."
_RELATION = "Every answer to pods that are asked for again is the kubelet's."
_CRASH = "After every write of a state file a node that ended there comes up as the kubelet does."
_DAMAGE = "With damaged, old and foreign state files a node does what the kubelet does."

for _id, _decisions, _text, *_needs in (
    ("exact/histories/classes", "all", _CLASS, "node/qos"),
    ("exact/histories/picks", "placements", "Every choice of CPUs of the sweeps is the kubelet's own.", _STATIC),
    ("exact/histories/allocations", "placements", _ALLOCATION, _STATIC),
    ("exact/histories/hints", "all", _HINT, _STATIC, "cpu-manager/hints"),
    ("exact/histories/merges", "all", _MERGE, "topology-manager/best-effort"),
    ("exact/histories/scores", "scores", "Every score of the sweeps is kube-scheduler's.", "scheduler/least-allocated"),
    ("exact/histories/starts", "placements", _START, _STATIC),
    ("exact/histories/lives", "placements", f"Every answer of the generated histories of nodes {_ANSWER}", _STATIC),
    ("exact/histories/worlds", "placements", f"Every answer of the histories on small machines {_ANSWER}", _STATIC),
    ("exact/histories/relations", "placements", _RELATION, _STATIC),
    ("exact/histories/crashes", "placements", _CRASH, _STATIC, "node/restart", "node/writes"),
    ("exact/histories/damages", "placements", _DAMAGE, _STATIC, "node/restart", "cpu-manager/state-file"),
):
    _requirement = _declare(_id, _text, *_needs, rests_on=_decisions)
    _OF_PLACEMENTS += [_requirement] if _decisions == "placements" else []
for _id, _feature, _what, _with_cpus in (
    ("exact/recorded/admission", "topology-manager/none", "admissions of pods on one node, by all managers", True),
    ("exact/recorded/lifecycle", "node/restart", "restarts, reconcile passes and state files of one node", True),
    ("exact/recorded/cpu-static", _STATIC, "single allocations of the static policy, with their hints", True),
    ("exact/recorded/merge", "topology-manager/best-effort", "merges of provider hints", False),
    ("exact/recorded/qos", "node/qos", "classes of pods", False),
    ("exact/recorded/noderesourcesfit", "scheduler/least-allocated", "scores of nodes", False),
):
    _requirement = _declare(_id, f"The recorded {_what} come out the same.", _feature, rests_on="all")
    _OF_PLACEMENTS += [_requirement] if _with_cpus else []

COMPARING_IDS = frozenset(requirement.id for requirement in _OF_PLACEMENTS)
"""Those in which the ids of CPUs are compared."""
