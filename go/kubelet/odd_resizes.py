"""Pods of any shape on a node of any policy, resized up and down at random."""

from __future__ import annotations

import random
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from numa_conformance.asking.generators.scenario import Question, Script
from numa_conformance.asking.generators.workloads import container, pod
from numa_conformance.machine import Machine

__all__ = ["GATES", "resized_at_random"]

MIB = 2**20
GATES = ("InPlacePodVerticalScalingExclusiveCPUs", "InPlacePodVerticalScalingExclusiveMemory")
"""What they let through is compared too."""
STEPS = 14


def resized_at_random(start: Question, machine: Machine, claimed: frozenset[str], name: str) -> Script:
    """Start a node, and admit, run, resize and remove pods; restart it in between."""
    lot = random.Random(name)
    if (yield start).get("result") != "started":
        return
    here: dict[str, dict[str, Any]] = {}
    for number in range(STEPS):
        step = lot.random()
        if not here or step < 0.3:
            wanted = _pod(f"p{number}", machine, lot)
            if (yield "node.admit", {"pod": wanted}).get("result") == "admitted":
                here[f"p{number}"] = wanted
            continue
        uid = lot.choice(sorted(here))
        if step < 0.8:
            wanted = _resized(here[uid], machine, lot)
            if (yield "node.resize", {"pod": wanted}).get("result") == "resized":
                here[uid] = wanted
            yield "node.state", {}
        elif step < 0.87:
            yield "node.run", {"uid": uid}
        elif step < 0.94:
            yield "node.remove", {"uid": uid}
            del here[uid]
        else:
            answer = yield "node.restart", {}
            if answer.get("result") != "restarted":
                return
            here = {told["uid"]: here[told["uid"]] for told in answer["pods"] if told["result"] == "admitted"}


def _pod(uid: str, machine: Machine, lot: random.Random) -> dict[str, Any]:
    """Draw a Guaranteed or Burstable pod; one with devices asks for few."""
    pinned = lot.random() < 0.6
    resources = sorted({device.resource for device in machine.devices})
    containers = []
    for place in range(lot.choice((1, 1, 2))):
        cpu, memory = _cpu(machine, lot), _memory(machine, lot)
        other = {lot.choice(resources): "1"} if resources and lot.random() < 0.4 else {}
        named = f"c{place}"
        if pinned:
            containers.append(container(named, cpu=cpu, memory=memory, other=other))
        else:
            asked = {"cpu": cpu, "memory": memory, **other}
            containers.append(container(named, requests=asked, other=other))
    return pod(uid, containers)


def _resized(whole: Mapping[str, Any], machine: Machine, lot: random.Random) -> dict[str, Any]:
    """Return a pod with other CPUs, other memory, both or neither."""
    changed = deepcopy(dict(whole))
    for described in changed["spec"]["containers"]:
        amounts = {"cpu": _cpu(machine, lot)} if lot.random() < 0.5 else {}
        amounts |= {"memory": _memory(machine, lot)} if lot.random() < 0.5 else {}
        for side in described["resources"].values():
            side.update({name: amount for name, amount in amounts.items() if name in side})
    return changed


def _cpu(machine: Machine, lot: random.Random) -> str:
    count = len(machine.cpus)
    return lot.choice(("500m", "1500m", "1", "2", "3", str(max(1, count // 2)), str(count - 1 or 1), str(count)))


def _memory(machine: Machine, lot: random.Random) -> str:
    """Draw little memory, or about what the node has."""
    whole = machine.total_memory // MIB
    return f"{lot.choice((64, 64, 200, whole // 3, whole - lot.choice((0, 100, 200, 256, 356, 1000))))}Mi"
