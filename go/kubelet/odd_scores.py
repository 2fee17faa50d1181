"""Nodes to score whose pods have sidecars, init containers, overhead, and resources of the pod as a whole."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from numa_conformance.asking.generators.scenario import Question
from numa_conformance.asking.generators.score_sweeps import BAR, FOO, KINDS, SHAPES, strategy
from numa_conformance.judging.scored import RATIO

__all__ = ["odd_scores"]

UNITS = {"cpu": ("", "m"), "memory": ("Gi", "Mi", "M", ""), "ephemeral-storage": ("Gi",), FOO: ("",), BAR: ("",)}
"""The resources of nodes and pods, and what may follow their numbers."""
SIZES = {"": 9, "m": 5000, "Gi": 9, "Mi": 5000, "M": 5000}
WHOLE = ("cpu", "memory")
"""What a pod may ask for as a whole."""


def odd_scores(lot: random.Random, count: int) -> list[Question]:
    """Draw so many questions, each for a node and a pod of its own."""
    return [_score(lot) for _ in range(count)]


def _score(lot: random.Random) -> Question:
    kind = lot.choice(KINDS)
    names = lot.sample(list(UNITS), lot.randint(0, 4))
    shorter = {FOO: "foo", BAR: "bar"}
    weights = {shorter.get(name, name): lot.choice((1, 1, 2, 7, 100)) for name in names}
    room = {name: _amount(name, lot, times=lot.choice((1, 4, 16))) for name in UNITS if lot.random() < 0.9}
    return "score", {
        "strategy": strategy(kind, lot.choice(SHAPES) if kind == RATIO else None, **weights),
        "allocatable": {**room, "pods": str(lot.choice((1, 2, 110)))},
        "pods": [_pod(f"used-{place}", lot) for place in range(lot.randint(0, 3))],
        "pod": _pod("p", lot),
    }


def _pod(name: str, lot: random.Random) -> dict[str, Any]:
    """Draw a pod; what it asks for as a whole is more than any of its containers does."""
    spec: dict[str, Any] = {"containers": [_container(f"c{place}", lot) for place in range(lot.randint(1, 3))]}
    first = [_container(f"i{place}", lot) for place in range(lot.choice((0, 0, 1, 2)))]
    for described in first:
        if lot.random() < 0.5:
            described["restartPolicy"] = "Always"
    if first:
        spec["initContainers"] = first
    if lot.random() < 0.3:
        spec["overhead"] = _amounts(WHOLE, lot)
    if lot.random() < 0.3:
        spec["resources"] = {"requests": {"cpu": f"{lot.randint(20, 40)}", "memory": f"{lot.randint(40, 60)}Gi"}}
        if lot.random() < 0.5:
            spec["resources"]["limits"] = {"cpu": "50", "memory": "80Gi"}
    return {"metadata": {"name": name, "namespace": "default", "uid": name}, "spec": spec}


def _container(name: str, lot: random.Random) -> dict[str, Any]:
    requests = _amounts(tuple(UNITS), lot)
    limits = {resource: amount for resource, amount in requests.items() if "/" in resource}
    resources: dict[str, Mapping[str, str]] = {"requests": requests} if requests else {}
    return {"name": name, "image": "example", "resources": {**resources, **({"limits": limits} if limits else {})}}


def _amounts(names: tuple[str, ...], lot: random.Random) -> dict[str, str]:
    return {name: _amount(name, lot) for name in names if lot.random() < 0.5}


def _amount(name: str, lot: random.Random, times: int = 1) -> str:
    unit = lot.choice(UNITS[name])
    if name == "memory" and not unit:
        return str(lot.randint(0, 2**34) * times)
    return f"{lot.randint(0, SIZES[unit]) * times}{unit}"
