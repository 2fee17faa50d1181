"""What became of a pod, in lines that ``simulate`` shows."""

from __future__ import annotations

import msgspec

from ..cpuset import format_bits
from ..reference.node import Admission, Node
from .outcomes import NO_ANSWER, Outcomes


def headline(admission: Admission, outcomes: Outcomes) -> str:
    """Return the pod, its class, and whether it was admitted, was on the node before, or had been refused."""
    uid, before = admission.uid, outcomes.refused_before(admission.uid)
    pod = f"{outcomes.names[uid]} ({admission.qos})" + (f", refused by a kubelet ({before})" if before else "")
    if admission.resize:
        told = f"not resized, {admission.reason}: {admission.message}; it keeps what it has"
        return f"{pod}: {'resized in place' if admission.admitted else told}"
    if admission.admitted:
        state = "on the node" if uid in outcomes.held else "admitted now" if before else "admitted"
        return f"{pod}: {state}"
    if admission.reason in NO_ANSWER:
        return f"{pod}: no answer, {admission.message}"
    return f"{pod}: refused{' again' if before else ''}, {admission.reason}: {admission.message}"


def placement_lines(admission: Admission, outcomes: Outcomes) -> list[str]:
    """Return what each container has: CPUs, memory and devices; of one without its own CPUs that asks for some, why."""
    lines: list[str] = []
    reasons = outcomes.why_shared(admission)
    for name, placed in admission.placements.items():
        why = f" ({reasons[name]})" if name in reasons and outcomes.node.pools.reserved is not None else ""
        lines.append(f"{name}: {_cpus(placed.cpus, outcomes.node)}{why}")
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
