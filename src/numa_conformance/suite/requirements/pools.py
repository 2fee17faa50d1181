"""What daemons promise of the CPUs that containers run on, beside what the pages of Kubernetes say."""

from __future__ import annotations

from .requirement import Family, Requirement

__all__ = ["REQUIREMENTS"]

_requirement = Family(since="1.24", area="pinning", features=("node/cpuset",))

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "pinning/mixed/has-a-cpu-of-its-own",
        "A container that requests more than one CPU and less than two, in a pod of class Guaranteed, may run on a CPU "
        "on which no other container may, and on another one beside.",
        "pinning/mixed",
        statements=(
            "nri-topology-aware/features/mixed",
            "nri-topology-aware/preferences/mixed-from-one-to-two",
            "nri-topology-aware/preferences/exclusive-is-honored",
        ),
    ),
    _requirement(
        "pinning/pools-apart/same-cpus-or-none",
        "Any two containers may run on the same CPUs, or on none together.",
        "pinning/pools-apart",
        statements=("nri-balloons/concepts/one-balloon", "nri-balloons/concepts/apart"),
    ),
    _requirement(
        "pinning/reserved-pool/holds-system-pods",
        "A container of namespace kube-system may run on reserved CPUs alone, while all such containers together "
        "request no more than these.",
        "pinning/reserved-pool",
        statements=(
            "nri-topology-aware/preferences/reserved",
            "nri-balloons/reserved/system-pods",
            "nri-balloons/reserved/preferred",
        ),
        beyond="The page does not speak of an amount that is reserved without its CPUs; that is not asked.",
    ),
)
