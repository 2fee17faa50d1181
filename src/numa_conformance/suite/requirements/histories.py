"""What is judged at every step of a conversation, beside what single cases ask."""

from __future__ import annotations

from typing import Literal

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Node Resource Managers"
_STATIC = "cpu-manager/static"
Strength = Literal["MUST", "SHOULD"]


def _cpu(
    id: str, text: str, *features: str, section: str = "Static policy", since: str = "1.8", strength: Strength = "MUST"
) -> Requirement:
    return Requirement(
        id=f"cpu-manager/{id}",
        text=text,
        page=_PAGE,
        section=section,
        since=since,
        features=(_STATIC, *features),
        area="cpu-manager",
        strength=strength,
    )


def _option(option: str, id: str, text: str, since: str) -> Requirement:
    return _cpu(
        f"{option}/{id}",
        text,
        f"cpu-manager/{option}",
        section="Static policy options",
        since=since,
        strength="SHOULD",
    )


def _topology(id: str, text: str, *features: str) -> Requirement:
    return Requirement(
        id=f"topology-manager/{id}",
        text=text,
        page="Control Topology Management Policies on a node",
        section="Topology manager policies",
        since="1.18",
        features=features,
        area="topology-manager",
    )


def _protocol(id: str, text: str) -> Requirement:
    return Requirement(
        id=f"protocol/{id}",
        text=text,
        page="Target protocol",
        section="Methods",
        since="1.8",
        features=(),
        area="protocol",
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _protocol("answers-every-question", "Every question is answered, within the time of a call, on every machine."),
    _protocol("answers-are-well-formed", "What an answer calls a set of CPUs or NUMA nodes is one."),
    _protocol("state-agrees-with-answers", "What a node says it holds is what it answered when it gave it."),
    _protocol("comes-up", "A node comes up with a configuration that the pages allow on its machine."),
    _cpu("static/gives-free-cpus-only", "Exclusive CPUs are taken from those that are free, and from nowhere else."),
    _cpu(
        "static/serves-what-is-free",
        "A request for no more exclusive CPUs than are free is served, where nothing else stands against it.",
    ),
    _cpu(
        "static/packs-few-cores-in-use",
        "By default CPUs tend to be packed onto as few physical cores as possible, on a machine in use too.",
        section="Static policy options",
        strength="SHOULD",
    ),
    _cpu(
        "static/packs-few-numa-nodes-in-use",
        "By default CPUs come from the minimum number of NUMA nodes if possible, on a machine in use too.",
        section="Static policy options",
        strength="SHOULD",
    ),
    _cpu(
        "static/apps-have-cpus-of-their-own",
        "The exclusive CPUs of an app container are its own: another app container of its pod does not have them too.",
    ),
    _cpu("static/keeps-cpus-while-it-runs", "A container runs on the exclusive CPUs it was admitted with."),
    _cpu("static/keeps-cpus-when-admitted-again", "A pod that is on the node and admitted again keeps its CPUs."),
    _cpu("shared-pool/never-empties", "The shared pool never becomes empty."),
    _cpu(
        "reconcile/sends-what-is-assigned",
        "A cpuset that the reconcile loop sends is the container's own, or the shared pool.",
        "cpu-manager/reconcile",
    ),
    _option(
        "distribute-cpus-across-numa",
        "spreads-evenly-in-use",
        "CPUs are divided evenly over the NUMA nodes needed, on a machine in use too.",
        "1.23",
    ),
    _option(
        "align-by-socket",
        "stays-in-one-socket-in-use",
        "What fits one socket comes from one socket, on a machine in use too.",
        "1.25",
    ),
    _option(
        "prefer-align-cpus-by-uncorecache",
        "stays-in-one-cache-in-use",
        "What fits the free CPUs of one uncore cache comes from one, on a best-effort basis, on a machine in use too.",
        "1.32",
    ),
    _option(
        "prefer-align-cpus-by-uncorecache",
        "uses-few-caches",
        "What no uncore cache can hold comes from as few as possible.",
        "1.32",
    ),
    Requirement(
        id="qos/class-is-told-at-admission",
        text="The QoS class that is told with an admission is the pod's.",
        page="Configure Quality of Service for Pods",
        section="QoS classes",
        since="1.8",
        features=("node/qos",),
        area="qos",
    ),
    _topology(
        "admission/nothing-to-align-is-admitted",
        "A pod that asks for nothing that a manager aligns is admitted under every policy and scope.",
    ),
    _topology(
        "single-numa-node/admits-what-one-node-holds",
        "A pod whose CPUs one NUMA node can give is admitted.",
        "topology-manager/single-numa-node",
        _STATIC,
    ),
    _topology(
        "restricted/admits-what-can-be-aligned",
        "A pod whose CPUs as few NUMA nodes as it needs can give is admitted.",
        "topology-manager/restricted",
        _STATIC,
    ),
    _topology(
        "scope/pod/gives-all-containers-one-affinity",
        "In scope pod every container of a pod has the same affinity.",
        "topology-manager/scope/pod",
    ),
)
