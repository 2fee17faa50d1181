"""Every field of every question is varied: each value of each aspect alone, and with every policy, scope and class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache

import pytest

from asked_in_full import deep
from numa_conformance.documentation.options import CHOOSING, STATIC_OPTIONS
from numa_conformance.protocol import METHODS

from .asked_questions import questions
from .aspects_of_questions import OF
from .fields import BY_HAND, FIELDS

NUMBERS = ("1", "2", "3 or more")
SOME = ("0", "1", "2 or more")
SWITCH = ("true", "false", "absent")
YES = ("yes", "no")
CLASSES = ("BestEffort", "Burstable", "Guaranteed")
BESIDE = ("nothing", "init", "sidecar", "init+sidecar")
ALIGNING = ("best-effort", "restricted", "single-numa-node")
RESERVATIONS = ("list", "kubeReserved", "systemReserved", "kubeReserved+systemReserved", "nothing")
MACHINE = {
    "NUMA nodes": NUMBERS,
    "sockets": NUMBERS,
    "sizes of NUMA nodes": ("alike", "differ"),
    "threads of cores": (*NUMBERS, "1+2"),
}
AFFINITY = {"affinity": ("none", *NUMBERS), "affinity preferred": ("none", *YES)}
CONTAINER = {
    **MACHINE,
    "class": CLASSES,
    "app containers": NUMBERS,
    "beside the apps": BESIDE,
    "CPU policy": ("static", "absent"),
    "topology policy": (*ALIGNING, "none"),
    **dict.fromkeys(STATIC_OPTIONS, SWITCH),
    "other pods": SOME,
    "held by the container": ("none", "some"),
    "reusable": ("none", "some"),
}
VALUES = {
    "pick": {
        **MACHINE,
        **dict.fromkeys(CHOOSING, SWITCH),
        "available": ("all", "some"),
        "count": ("none", "some", "all", "too many"),
        **AFFINITY,
    },
    "allocate": {**CONTAINER, **AFFINITY, "reservation": RESERVATIONS, "container": ("app", "init", "sidecar")},
    "hints": {**CONTAINER, "container": ("app", "init", "sidecar", "the pod as a whole")},
    "merge": {
        "policy": ("none", *ALIGNING),
        "prefer-closest-numa-nodes": SWITCH,
        "max-allowable-numa-nodes": ("told", "absent"),
        "NUMA nodes": NUMBERS,
        "ids of NUMA nodes": ("0 and up", "others"),
        "distances": ("told", "not told"),
        "providers": NUMBERS,
        "a provider without opinion": YES,
        "a provider without resources": YES,
        "a provider of two resources": YES,
        "a resource without opinion": YES,
        "a resource without a way": YES,
        "a hint for any NUMA node": YES,
        "hints": SOME,
    },
    "score": {
        "strategy": ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"),
        "resources": ("0", *NUMBERS),
        "weights": ("all", "some left out"),
        "extended resources that count": SOME,
        "pods on the node": SOME,
        "pods on the node with extended resources": SOME,
        "app containers": NUMBERS,
        "beside the apps": BESIDE,
        "overhead": YES,
    },
    "classify": {
        "class": CLASSES,
        "app containers": NUMBERS,
        "beside the apps": BESIDE,
        "exclusive and shared containers": ("own", "shared", "own+shared"),
        "containers with devices": SOME,
        "containers with limits alone": SOME,
        "huge page sizes": SOME,
    },
    "node.start": {
        "NUMA nodes": NUMBERS,
        "CPU policy": ("none", "static", "absent", "unknown"),
        "topology policy": ("none", *ALIGNING, "absent", "unknown"),
        "scope": ("container", "pod", "absent", "unknown"),
        "memory policy": ("Static", "absent", "unknown"),
        "gates": ("absent", "True", "False", "False+True"),
        "options": SOME,
        "reserved memory": SOME,
        "files": ("absent", "told"),
    },
    "node.restart": {"kubelet": ("the same", "another"), "files": ("as they are", "replaced"), "at once": ("no",)},
}
"""Method to aspect to the values that are asked."""
PIVOTS = {
    "pick": (*CHOOSING,),
    "allocate": ("class", "topology policy"),
    "hints": ("class", "topology policy"),
    "merge": ("policy",),
    "score": ("strategy",),
    "classify": ("class",),
    "node.start": ("CPU policy", "topology policy", "scope"),
    "node.restart": (),
}
"""What every value of a method comes together with: policies, options that choose, scopes and classes."""


NEVER: dict[str, dict[frozenset[tuple[str, str]], str]] = defaultdict(dict)
"""Method to values that do not come together, and why."""


def _never(methods: str, why: str, pivot: tuple[str, tuple[str, ...]], others: Mapping[str, tuple[str, ...]]) -> None:
    for method in methods.split():
        for left in pivot[1]:
            pairs = ((name, value) for name, values in others.items() for value in values)
            NEVER[method].update({frozenset({(pivot[0], left), pair}): why for pair in pairs})


def _all_but(method: str, *names: str) -> dict[str, tuple[str, ...]]:
    return {name: values for name, values in VALUES[method].items() if name not in names}


for _option in STATIC_OPTIONS.values():
    for _left, _right in ((_option.name, other) for other in (*_option.excludes, *_option.refused_with)):
        for _pair in ((_left, _right), (_right, _left)):
            _never("pick", "the options exclude each other", (_pair[0], ("true",)), {_pair[1]: ("true",)})
_never("merge", "policy none looks at no distance", ("policy", ("none",)), {"prefer-closest-numa-nodes": SWITCH[:2]})
_never(
    "allocate hints",
    "only Guaranteed pods hold CPUs",
    ("class", ("BestEffort", "Burstable")),
    {"held by the container": ("some",), "reusable": ("some",)},
)
_never(
    "classify",
    "only Guaranteed pods have CPUs of their own",
    ("class", ("BestEffort", "Burstable")),
    {"exclusive and shared containers": ("own", "own+shared")},
)
_never(
    "classify",
    "what has a limit or huge pages is not BestEffort",
    ("class", ("BestEffort",)),
    {"containers with limits alone": ("1", "2 or more"), "huge page sizes": ("1", "2 or more")},
)
_never(
    "allocate hints", "policy none is asked without more", ("topology policy", ALIGNING), {"CPU policy": ("absent",)}
)
for _method in ("allocate", "hints"):
    _never(
        _method,
        "the CPU Manager is asked for hints and CPUs where they are aligned; without it nothing is",
        ("topology policy", ("none",)),
        _all_but(_method, "NUMA nodes", "sockets", "sizes of NUMA nodes", "threads of cores"),
    )
_never(
    "allocate hints",
    "the page has it refused",
    ("topology policy", ("single-numa-node",)),
    {"align-by-socket": ("true",)},
)
_never(
    "node.start",
    "policy none has no options",
    ("CPU policy", ("none", "absent")),
    {"options": ("1", "2 or more"), "files": ("told",)},
)
_never("node.start", "the file is that of a node that gives CPUs", ("topology policy", ("none",)), {"files": ("told",)})
for _pivot in PIVOTS["node.start"]:
    _never(
        "node.start",
        "what does not exist is asked alone, so that a refusal has one reason",
        (_pivot, ("unknown",)),
        _all_but("node.start"),
    )
    _never(
        "node.start",
        "what does not exist is asked alone, so that a refusal has one reason",
        (_pivot, VALUES["node.start"][_pivot]),
        dict.fromkeys((*PIVOTS["node.start"], "memory policy"), ("unknown",)),
    )


@cache
def _seen() -> tuple[dict[str, dict[str, Counter[str]]], dict[str, Counter[frozenset[tuple[str, str]]]]]:
    values: dict[str, dict[str, Counter[str]]] = {method: defaultdict(Counter) for method in OF}
    together: dict[str, Counter[frozenset[tuple[str, str]]]] = {method: Counter() for method in OF}
    for machine, method, params in questions():
        if method not in OF:
            continue
        aspects = OF[method](machine, params)
        for aspect in aspects.items():
            values[method][aspect[0]][aspect[1]] += 1
        pivots = [(name, aspects[name]) for name in PIVOTS[method] if name in aspects]
        together[method].update({frozenset({pivot, aspect}) for pivot in pivots for aspect in aspects.items()})
    return values, together


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_field_is_an_aspect_or_is_told_why_not(method: str) -> None:
    fields = set(METHODS[method].request.__struct_fields__)
    assert FIELDS.get(method, {}).keys() | BY_HAND.get(method, {}).keys() == fields


@deep
def test_every_value_is_asked_alone_and_with_every_policy_scope_and_class() -> None:
    """One test for all methods: to ask every question takes seconds, in each process that does so."""
    values, together = _seen()
    for method in OF:
        asked = {name: set(values[method][name]) for name in VALUES[method]}
        assert asked == {name: set(listed) for name, listed in VALUES[method].items()}, method
        missing = {
            (pivot, other)
            for pivot in ((name, value) for name in PIVOTS[method] for value in VALUES[method][name])
            for other in ((name, value) for name, listed in VALUES[method].items() for value in listed)
            if pivot[0] != other[0]
            and not together[method][frozenset({pivot, other})]
            and frozenset({pivot, other}) not in NEVER[method]
        }
        assert missing == set(), method
