"""Resizes in place by lot: an app container or sidecar of a pod is to have other amounts."""

import random
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from ...judging.pods import PodSpec

CHANGES: tuple[Mapping[str, str], ...] = (
    *({"cpu": "1"}, {"cpu": "2"}, {"cpu": "3"}, {"cpu": "500m"}, {"memory": "32Mi"}, {"memory": "256Mi"}),
    *({"cpu": "2", "memory": "96Mi"}, {"cpu": "1000"}, {"memory": str(1 << 50)}),
)
"""What a container is to ask for in place of what it does; of the last two no machine has as much."""


def resized_by_lot(whole: Mapping[str, Any], lot: random.Random) -> dict[str, Any]:
    """Return a pod of which one app container or sidecar has other amounts, and whose class is what it was."""
    apps = len(whole["spec"]["containers"])
    early = [each.get("restartPolicy") == "Always" for each in whole["spec"].get("initContainers", ())]
    able = [place for place, is_sidecar in enumerate([*early, *[True] * apps]) if is_sidecar]
    changed = _with(whole, lot.choice(able), lot.choice(CHANGES))
    return changed if PodSpec.of(changed).qos == PodSpec.of(whole).qos else dict(whole)


def _with(whole: Mapping[str, Any], place: int, amounts: Mapping[str, str]) -> dict[str, Any]:
    """Return a pod of which one container has other amounts, wherever it has one."""
    changed = deepcopy(dict(whole))
    containers = [*changed["spec"].get("initContainers", ()), *changed["spec"]["containers"]]
    for side in containers[place]["resources"].values():
        side.update({name: amount for name, amount in amounts.items() if name in side})
    return changed
