"""What became of a pod, in lines that ``simulate`` shows."""

from __future__ import annotations

import msgspec

from ..cpuset import format_bits
from ..node import Admission, Node
from .outcomes import NO_ANSWER

__all__ = ["headline", "placement_lines"]


def headline(admission: Admission, name: str, *, held: bool) -> str:
    """Return the pod, its class, and whether it was admitted; ``held``: it was on the node before."""
    if admission.admitted:
        return f"{name} ({admission.qos}): {'on the node' if held else 'admitted'}"
    if admission.reason in NO_ANSWER:
        return f"{name} ({admission.qos}): no answer, {admission.message}"
    return f"{name} ({admission.qos}): refused, {admission.reason}: {admission.message}"


def placement_lines(admission: Admission, node: Node) -> list[str]:
    """Return what each container has: CPUs, memory and devices."""
    lines: list[str] = []
    for name, placed in (admission.placements or {}).items():
        lines.append(f"{name}: {_cpus(placed.cpus, node)}")
        for block in placed.memory or ():
            lines.append(f"    {block if block.bytes else f'{block.type}: handed on to later containers'}")
        for resource, ids in (placed.devices or {}).items():
            lines.append(f"    {resource}: {', '.join(ids)}")
        for manager, holding in placed.further.items():
            lines.append(
                f"    {manager}: {holding if isinstance(holding, str) else msgspec.json.encode(holding).decode()}"
            )
    return lines


def _cpus(cpus: int, node: Node) -> str:
    if cpus:
        return f"exclusive CPUs {format_bits(cpus)}"
    return "the shared pool" if node.pools.reserved is not None else "all CPUs (policy none)"
