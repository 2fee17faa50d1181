"""A simulation as a web page that needs nothing else."""

from __future__ import annotations

from markupsafe import Markup

from ..cpuset import format_bits
from ..machine.picture_svg import machine_svg
from ..report.html import render
from .outcomes import Outcomes
from .placement_lines import headline, placement_lines


def simulation_page(outcomes: Outcomes) -> str:
    """Return the page: the summary, the machine with its pods, and what became of each pod."""
    node = outcomes.node
    reserved = node.pools.reserved
    pods = [
        (
            admission.admitted,
            headline(admission, outcomes),
            placement_lines(admission, outcomes),
            list(outcomes.advice[admission.uid].lines()) if admission.uid in outcomes.advice else [],
        )
        for admission in outcomes.in_order
    ]
    return render(
        "simulation.html",
        title=f"Pods on {node.machine.name}",
        summary=str(outcomes.summary),
        version=str(node.version),
        reserved=None if reserved is None else format_bits(reserved) or "none",
        shared=None if reserved is None else format_bits(node.pools.default) or "empty",
        pods=pods,
        # The picture escapes its texts itself.
        picture=Markup(machine_svg(node.machine, outcomes.owners)),
    )
