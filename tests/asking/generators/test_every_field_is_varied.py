"""Every field of every question is varied: each value of each aspect alone, and with every policy, scope and class."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fnmatch import filter as filter_names
from fnmatch import fnmatchcase
from functools import cache

from asked_in_full import deep
from numa_conformance.asking.groups import GROUPS
from numa_conformance.machine import Machine, machine_to_dict
from numa_conformance.sources.options import CHOOSING, STATIC_OPTIONS
from numa_conformance.wire import METHODS

from .asked_questions import ORDER, questions
from .aspects_of_questions import OF
from .fields import FIELDS, NEVER_VARIED, Field, at

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
    "node.resize": {
        "CPU policy": ("none", "static"),
        "memory policy": ("Static", "absent"),
        "topology policy": ("none", *ALIGNING),
        "scope": ("container", "pod", "absent"),
        "class": CLASSES,
        "app containers": NUMBERS,
        "beside the apps": BESIDE,
        "exclusive and shared containers": ("own", "shared", "own+shared"),
        "containers with devices": SOME,
    },
    "plugin.start": {"NUMA nodes": NUMBERS},
    "plugin.prefer": {"available": ("as many as are wanted", "more"), "included": SOME, "size": NUMBERS},
    "plugin.allocate": {"devices": NUMBERS},
    "claims.start": {"NUMA nodes": NUMBERS, "reserved CPUs": SOME},
    "claims.prepare": {"devices of the claim": ("1", "2"), "CPUs of the claim": NUMBERS},
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
    "node.resize": ("CPU policy", "topology policy", "scope", "class"),
    "plugin.start": (),
    "plugin.prefer": ("size",),
    "plugin.allocate": (),
    "claims.start": ("NUMA nodes",),
    "claims.prepare": ("devices of the claim",),
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
    "classify node.resize",
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
_never("node.resize", "memory is pinned beside CPUs", ("CPU policy", ("none",)), {"memory policy": ("Static",)})
_never("node.resize", "policy none has no scope", ("topology policy", ("none",)), {"scope": ("container", "pod")})
_never("node.resize", "a policy has a scope", ("topology policy", ALIGNING), {"scope": ("absent",)})
_never("node.resize", "policy none has no scope", ("scope", ("container", "pod")), {"topology policy": ("none",)})
_never("node.resize", "a policy has a scope", ("scope", ("absent",)), {"topology policy": ALIGNING})
_never("plugin.prefer", "one is one", ("size", ("1",)), {"included": ("2 or more",)})
_never("claims.start", "of each NUMA node one", ("NUMA nodes", ("1",)), {"reserved CPUs": ("2 or more",)})
_never("claims.start", "of each NUMA node one", ("NUMA nodes", NUMBERS[1:]), {"reserved CPUs": ("1",)})
_never("claims.prepare", "each device has some", ("devices of the claim", ("2",)), {"CPUs of the claim": ("1",)})
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


def _listed(method: str, field: Field) -> bool:
    return any(fnmatchcase(f"{method} {'.'.join(field)}", pattern) for pattern in NEVER_VARIED)


def _without_two_values(fields: Iterable[tuple[str, Field]]) -> set[tuple[str, Field]]:
    """Return those of some fields that have one value in all questions; as soon as there are none, no more is asked."""
    left: dict[str, dict[Field, str | None]] = defaultdict(dict)
    for method, field in fields:
        left[method][field] = None
    for group in ORDER:
        methods = [method for method in METHODS if METHODS[method].surface == GROUPS[group].surface]
        last: Machine | None = None
        for machine, method, params in questions((group,)) if any(left[method] for method in methods) else ():
            here = left[method]
            news = [field for field in here if field[0] != "machine" or machine is not last]
            told = {"machine": machine_to_dict(machine)} if any(field[0] == "machine" for field in news) else {}
            last = machine
            for field in news:
                values = {json.dumps(value, sort_keys=True) for value in at({**told, **params}, field)}
                values |= {here[field]} - {None}
                here[field] = next(iter(values), None)
                if len(values) > 1:
                    del here[field]
            if not any(left[method] for method in methods):
                break
    return {(method, field) for method, here in left.items() for field in here}


ALL = {(method, field) for method, fields in FIELDS.items() for field in fields}


def test_every_field_of_the_schemas_is_varied_or_is_told_why_not() -> None:
    assert _without_two_values(each for each in ALL if not _listed(*each)) == set()


@deep
def test_what_is_told_never_to_be_varied_is_not() -> None:
    listed = {each for each in ALL if _listed(*each)}
    assert _without_two_values(listed) == listed
    names = [f"{method} {'.'.join(field)}" for method, field in ALL]
    assert [pattern for pattern in NEVER_VARIED if not filter_names(names, pattern)] == []


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
