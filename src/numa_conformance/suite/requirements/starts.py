"""What a node makes of its configuration when it starts: options and gates, defaults, reservations, many NUMA nodes."""

from __future__ import annotations

from typing import Literal

from .requirement import Requirement

_STATIC, _SINGLE = "cpu-manager/static", "topology-manager/single-numa-node"
_LIMIT = "topology-manager/max-allowable-numa-nodes"
_MEMORY = "memory-manager/static"


def _requirement(
    id: str,
    text: str,
    *features: str,
    statements: tuple[str, ...],
    since: str,
    until: str | None = None,
    strength: Literal["MUST", "SHOULD"] = "MUST",
    beyond: str | None = None,
) -> Requirement:
    area, what, *_ = id.split("/")
    if what == "options":
        area = "cpu-manager options"
    return Requirement(id, text, statements, since, features, area, until, strength, beyond=beyond)


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "cpu-manager/options/are-named-one-by-one",
        "A feature gate that is switched on enables no option by itself.",
        _STATIC,
        statements=("nrm/options/options-are-named-one-by-one", "kubelet-reference/configuration/options"),
        since="1.23",
    ),
    _requirement(
        "cpu-manager/options/gate-off-means-defaults",
        "With the gate CPUManagerPolicyOptions off no option takes effect: the node does not come up, or does as "
        "without them.",
        _STATIC,
        statements=("cpu-task/configuration/gate-off-means-defaults",),
        since="1.23",
        until="1.32",
    ),
    _requirement(
        "cpu-manager/options/add-up",
        "full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be named together.",
        _STATIC,
        "cpu-manager/full-pcpus-only",
        "cpu-manager/distribute-cpus-across-numa",
        statements=(
            "cpu-task/options/full-pcpus-and-numa-add-up",
            "cpu-task/options/align-by-socket-adds-up",
            "cpu-task/configuration/options-field",
        ),
        since="1.25",
    ),
    _requirement(
        "cpu-manager/policy/defaults-to-none",
        "Without cpuManagerPolicy no container has CPUs of its own.",
        "cpu-manager/none",
        statements=(
            "cpu-1.8/configuration/none-is-the-default",
            "cpu-task/configuration/policies",
            "kubelet-reference/configuration/cpu-policies",
        ),
        since="1.8",
    ),
    _requirement(
        "cpu-manager/reservation/ascending-core-ids",
        "Where only a number is reserved, CPUs are reserved core after core, ascending by physical core id.",
        _STATIC,
        statements=("nrm/static/reserved-by-core-id", "cpu-1.8/static/reserved-by-core-id"),
        since="1.8",
    ),
    _requirement(
        "memory-manager/policy/defaults-to-none",
        "Without memoryManagerPolicy no container has memory of its own.",
        "memory-manager/none",
        statements=("memory/policies/those",),
        since="1.21",
    ),
    _requirement(
        "memory-manager/reserved-memory/comes-up-when-it-matches",
        "reservedMemory whose amounts add up to what is reserved is accepted, however NUMA nodes share it.",
        _MEMORY,
        statements=(
            "memory/syntax/per-numa-node",
            "memory/constraints/worked-example",
            "memory/constraints/sum",
            "kubelet-reference/configuration/reserved-memory",
        ),
        since="1.21",
    ),
    *(
        _requirement(
            id,
            f"The node does not come up with reservedMemory that {text}.",
            _MEMORY,
            statements=(statement,),
            since="1.21",
            strength="SHOULD",
            beyond="The page says that such a configuration is to be avoided, not that the node does not come up.",
        )
        for id, statement, text in (
            (
                "memory-manager/reserved-memory/refuses-duplicates",
                "memory/avoid/duplicates",
                "names a NUMA node and type twice",
            ),
            ("memory-manager/reserved-memory/refuses-zero-limits", "memory/avoid/zero", "has a limit of zero"),
            (
                "memory-manager/reserved-memory/refuses-unknown-types",
                "memory/avoid/unknown-types",
                "names a type other than memory and huge pages of the machine",
            ),
        )
    ),
    _requirement(
        "topology-manager/policy/defaults-to-none",
        "Without topologyManagerPolicy no pod is refused for its topology.",
        _STATIC,
        "topology-manager/none",
        statements=("topology/policies/none-is-the-default", "topology-source/policies/none-is-the-default"),
        since="1.18",
    ),
    _requirement(
        "topology-manager/scope/defaults-to-container",
        "Without topologyManagerScope containers are aligned one by one.",
        _STATIC,
        _SINGLE,
        "topology-manager/scope/container",
        statements=("topology/scopes/container-is-the-default", "topology-source/scopes/container-is-the-default"),
        since="1.20",
    ),
    _requirement(
        "topology-manager/policy/unknown-is-refused",
        "The node does not come up with a Topology Manager policy that does not exist.",
        "topology-manager/none",
        statements=("topology-source/policies/unknown-policy", "kubelet-reference/configuration/topology-policies"),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "topology-manager/scope/unknown-is-refused",
        "The node does not come up with a Topology Manager scope that does not exist.",
        "topology-manager/none",
        statements=("topology-source/scopes/unknown-scope", "kubelet-reference/configuration/topology-scopes"),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "topology-manager/admission/aligns-no-cpus-without-the-cpu-manager",
        "Under CPU Manager policy none no pod is refused for its CPUs.",
        "cpu-manager/none",
        _SINGLE,
        statements=("topology/scopes-and-policies/cpus-need-the-cpu-manager",),
        since="1.18",
    ),
    _requirement(
        "topology-manager/admission/aligns-no-memory-without-the-memory-manager",
        "Under Memory Manager policy None no pod is refused for its memory.",
        "cpu-manager/none",
        "memory-manager/none",
        _SINGLE,
        statements=("topology/scopes-and-policies/memory-needs-the-memory-manager",),
        since="1.21",
    ),
    _requirement(
        "topology-manager/max-allowable-numa-nodes/eight-are-accepted",
        "The node comes up on a machine with exactly eight NUMA nodes, under every policy.",
        "topology-manager/best-effort",
        statements=("topology/limitations/eight-numa-nodes", "topology-source/machine/eight"),
        since="1.18",
    ),
    _requirement(
        "topology-manager/max-allowable-numa-nodes/none-has-no-limit",
        "Under policy none the number of NUMA nodes does not matter.",
        "topology-manager/none",
        statements=("topology-source/machine/none-has-no-limit",),
        since="1.27",
        strength="SHOULD",
    ),
    _requirement(
        "topology-manager/max-allowable-numa-nodes/is-set-to-true",
        "With max-allowable-numa-nodes=true the node comes up on a machine with more than eight NUMA nodes.",
        _LIMIT,
        "topology-manager/best-effort",
        statements=(
            "topology/max-allowable-numa-nodes/is-set-to-true",
            "topology/max-allowable-numa-nodes/allows-more",
        ),
        since="1.31",
    ),
    _requirement(
        "topology-manager/policy-options/need-their-gates",
        "max-allowable-numa-nodes allows no further NUMA nodes while a gate hides it.",
        "topology-manager/best-effort",
        statements=("topology/policy-options/gates",),
        since="1.26",
        until="1.35",
    ),
)
