"""Resizing a pod in place: what becomes of the request, and what is not resized."""

from __future__ import annotations

from ..pages import RESIZE
from .statement import Statement, must, should, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        RESIZE.section("Pod resize status"),
        "status",
        "1.33",
        must("pending", "A resize that the kubelet cannot grant at once is pending; a message says why."),
        should("infeasible", "Infeasible is what the node can never grant, such as more than it has."),
        should("deferred", "Deferred is what may become possible later, for instance when another pod is gone."),
    ),
    *stated(
        RESIZE.section("Limitations"),
        "limits",
        "1.33",
        must("static-policies", "Pods managed by static CPU or Memory Manager policies are not resized in place."),
        must(
            "class-stays",
            "The class of a pod is that of its creation; no resize may change it.",
            untestable="the API server refuses such a resize before a node is asked",
        ),
        must(
            "containers",
            "Ordinary init containers and ephemeral containers are not resized.",
            untestable="the API server refuses such a resize before a node is asked",
        ),
        must(
            "no-removal",
            "Requests and limits that are set can be changed, not removed.",
            untestable="the API server refuses such a resize before a node is asked",
        ),
    ),
)
