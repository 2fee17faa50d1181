"""Resizing pods in place, beside managers that give CPUs and memory."""

from __future__ import annotations

from .requirement import Family, Requirement

_requirement = Family(since="1.33", area="resize", features=("node/resize",))

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "resize/exclusive-cpus-are-not-resized",
        "A pod with exclusive CPUs whose CPU requests are to change is not resized in place.",
        "cpu-manager/static",
        statements=("resize/limits/static-policies",),
    ),
    _requirement(
        "resize/static-memory-is-not-resized",
        "Under Memory Manager policy Static a Guaranteed pod whose memory requests are to change is not resized in "
        "place.",
        "memory-manager/static",
        statements=("resize/limits/static-policies",),
    ),
    _requirement(
        "resize/more-than-the-node-has-is-not-granted",
        "A resize to more CPUs or memory than the node has is not granted.",
        statements=("resize/status/pending",),
    ),
    _requirement(
        "resize/what-can-never-be-is-infeasible",
        "A resize to more CPUs or memory than the node has is Infeasible, not Deferred.",
        statements=("resize/status/infeasible", "resize/status/deferred"),
        strength="SHOULD",
    ),
    _requirement(
        "resize/pending-changes-nothing",
        "A resize that is not granted changes neither the shared pool nor what a container holds.",
        statements=("resize/status/pending",),
        beyond="The page says that the request is pending; that what is held stays is taken from there.",
    ),
    _requirement(
        "resize/shared-containers-get-no-cpus-of-their-own",
        "A container of the shared pool that is resized gets no exclusive CPUs by it, and takes none out of the pool.",
        "cpu-manager/static",
        statements=("resize/limits/static-policies", "nrm/static/burstable-is-shared"),
    ),
)
