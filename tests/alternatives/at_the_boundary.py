"""The reference with another manner: what it tells, when it writes, what it makes of a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mutants.lies import Json, each_holding, in_kubelet, in_machine
from mutants.mutant import Memory, Mutant, Rewrite
from numa_conformance.cpuset import CpuSet

from .near_pools import near_and_at_once

__all__ = ["MANNERS"]

BETA = {"full-pcpus-only"}
HIDING = {True: "CPUManagerPolicyBetaOptions", False: "CPUManagerPolicyAlphaOptions"}
CPU_SETS = ("cpus", "cpuset", "default_cpuset", "reserved_cpus", "allocatable_cpus")


def _without(*words: str) -> Rewrite:
    """Claim nothing whose name has one of these words in it."""

    def rewrite(answer: Json, memory: Memory) -> Json:
        features = [name for name in answer["features"] if not any(word in name for word in words)]
        return {**answer, "features": features, "surfaces": [name for name in answer["surfaces"] if name not in words]}

    return rewrite


def _default_hint(answer: Json, memory: Memory) -> Json:
    """Say that any NUMA node will do, where nothing is said of CPUs."""
    return (
        answer if (answer.get("hints") or {}).get("cpu") else {"hints": {"cpu": [{"nodes": None, "preferred": True}]}}
    )


def _explicit(answer: Json, memory: Memory) -> Json:
    hints = answer.get("hints")
    return answer if hints else _default_hint(answer, memory)


def _nothing_to_send(answer: Json, memory: Memory) -> Json:
    return {**answer, "updates": []}


def _all_sent(answer: Json, memory: Memory) -> Json:
    """Send each running container its cpuset in every pass."""
    pool, running = memory.notes.get("pool", ""), memory.notes.get("running", {})
    sent = {(uid, name): cpus or pool for uid, own in running.items() for name, cpus in own.items()}
    updates = [{"uid": uid, "container": name, "cpus": cpus} for (uid, name), cpus in sent.items() if cpus]
    return {**answer, "updates": updates, "handled": len(updates)}


def _remember(answer: Json, memory: Memory) -> Json:
    if "default_cpuset" in answer:
        memory.notes["pool"] = answer["default_cpuset"]
    return answer


def _remember_pod(answer: Json, memory: Memory) -> Json:
    if answer["result"] == "admitted":
        pod = memory.asked["node.admit"]["pod"]
        lasting = [own["name"] for own in pod["spec"]["containers"]]
        lasting += [own["name"] for own in pod["spec"].get("initContainers", ()) if own.get("restartPolicy")]
        memory.notes.setdefault("lasting", {})[pod["metadata"]["uid"]] = lasting
    return _remember(answer, memory)


def _remember_run(answer: Json, memory: Memory) -> Json:
    if answer["result"] == "started":
        uid = memory.asked["node.run"]["uid"]
        own = {name: answer["containers"][name]["cpus"] for name in memory.notes["lasting"][uid]}
        memory.notes.setdefault("running", {})[uid] = own
    return _remember(answer, memory)


def _forget(answer: Json, memory: Memory) -> Json:
    memory.notes.get("running", {}).pop(memory.asked["node.remove"]["uid"], None)
    return _remember(answer, memory)


def _forget_refused(answer: Json, memory: Memory) -> Json:
    for pod in answer.get("pods") or ():
        if pod["result"] == "rejected":
            memory.notes.get("running", {}).pop(pod["uid"], None)
    return _remember(answer, memory)


def _other_words(answer: Json, memory: Memory) -> Json:
    """Say refusals otherwise: with the kubelet's words in quotation marks."""
    return {**answer, "message": f"this node cannot do that ({answer['message']})"} if "message" in answer else answer


def _own_words(answer: Json, memory: Memory) -> Json:
    return {**answer, "message": "no"} if "message" in answer else answer


def _hidden(kubelet: Json) -> None:
    """Take an option whose gate is off for one that is not there."""
    gates = kubelet.get("featureGates") or {}
    options = kubelet.get("cpuManagerPolicyOptions") or {}
    shown = {name for name in options if gates.get(HIDING[name in BETA], name in BETA)}
    kubelet["cpuManagerPolicyOptions"] = {name: text for name, text in options.items() if name in shown}


def _known_only(kubelet: Json) -> None:
    """Pass over options that nobody knows."""
    known = {"full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket", "distribute-cpus-across-cores"}
    known |= {"strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"}
    options = kubelet.get("cpuManagerPolicyOptions") or {}
    kubelet["cpuManagerPolicyOptions"] = {name: text for name, text in options.items() if name in known}


def _as_the_page_writes(kubelet: Json) -> None:
    """Read max-allowable-numa-nodes=true as leave for any number."""
    options = dict(kubelet.get("topologyManagerPolicyOptions") or {})
    if options.get("max-allowable-numa-nodes") == "true":
        options["max-allowable-numa-nodes"] = "64"
    kubelet["topologyManagerPolicyOptions"] = options


def _strict_of_a_list(kubelet: Json) -> None:
    """Keep the CPUs of a list out of the shared pool, and none of those of an amount."""
    options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
    if options.get("strict-cpu-reservation") == "true" and not kubelet.get("reservedSystemCPUs"):
        kubelet["cpuManagerPolicyOptions"] = {**options, "strict-cpu-reservation": "false"}


def _no_preference(machine: Json) -> None:
    machine.pop("preferredAllocation", None)
    machine.pop("preferred_allocation", None)


def _silent(*fields: str) -> Rewrite:
    """Leave fields of an answer out that may be left out."""

    def rewrite(answer: Json, memory: Memory) -> Json:
        return {name: value for name, value in answer.items() if name not in fields}

    return rewrite


def _no_cpuset(holding: Json, answer: Json) -> None:
    holding.pop("cpuset", None)
    holding.pop("mems", None)


def _no_affinity(holding: Json, answer: Json) -> None:
    holding.pop("affinity", None)


def _one_by_one(answer: Any, memory: Memory | None = None) -> Any:
    """Write sets of CPUs out in full, 0,1,2 for 0-2."""
    if isinstance(answer, list):
        return [_one_by_one(part) for part in answer]
    if not isinstance(answer, dict):
        return answer
    return {
        name: ",".join(map(str, CpuSet.parse(value)))
        if name in CPU_SETS and isinstance(value, str)
        else _one_by_one(value)
        for name, value in answer.items()
    }


def _own_file(answer: Json, memory: Memory) -> Json:
    return {**answer, "checkpoints": {"node.json": "{}"}}


def _backwards(answer: Json, memory: Memory) -> Json:
    """List pods, containers, memory blocks and updates in another order."""
    told = dict(answer)
    for name in ("updates", "pods", "skipped"):
        if isinstance(told.get(name), list):
            told[name] = told[name][::-1]
    if told.get("containers"):
        told["containers"] = dict(reversed(list(told["containers"].items())))
        for holding in told["containers"].values():
            if holding.get("memory"):
                holding["memory"] = holding["memory"][::-1]
    return told


def _split_blocks(holding: Json, answer: Json) -> None:
    """Report what lies on one NUMA node in two blocks."""
    blocks = []
    for block in holding.get("memory") or ():
        half = block["bytes"] // 2
        blocks += [{**block, "bytes": half}, {**block, "bytes": block["bytes"] - half}] if half else [block]
    if holding.get("memory"):
        holding["memory"] = blocks


NODE = ("node.start", "node.admit", "node.run", "node.remove", "node.state", "node.restart", "node.reconcile")
HOLDING = ("node.admit", "node.run", "node.restart")


def _everywhere(rewrite: Rewrite, methods: tuple[str, ...] = NODE) -> dict[str, Rewrite]:
    return dict.fromkeys(methods, rewrite)


def _of_state(change: Callable[[Json, Json], None]) -> Rewrite:
    def rewrite(answer: Json, memory: Memory) -> Json:
        for own in answer["containers"].values():
            for holding in own.values():
                change(holding, answer)
        return answer

    return rewrite


def _manner(
    name: str, questions: Mapping[str, Rewrite] | None = None, answers: Mapping[str, Rewrite] | None = None
) -> tuple[str, Callable[[], Mutant]]:
    return name, lambda: Mutant(name, questions or {}, answers or {})


_STARTS = ("node.start", "node.restart")
_CHANGED = {"node.start": _remember, "node.admit": _remember_pod, "node.run": _remember_run, "node.remove": _forget}

MANNERS: Mapping[str, Callable[[], Mutant]] = MappingProxyType(
    dict(
        (
            _manner("tells the default hint", answers={"hints": _explicit}),
            _manner(
                "writes cpusets at once",
                answers={
                    "describe": _without("host", "node/cpuset"),
                    **_everywhere(each_holding(_no_cpuset), HOLDING),
                    "node.state": _of_state(_no_cpuset),
                    "node.reconcile": _nothing_to_send,
                },
            ),
            _manner(
                "writes all cpusets in every pass",
                answers={
                    **_CHANGED,
                    "describe": _without("host"),
                    "node.restart": _forget_refused,
                    "node.reconcile": _all_sent,
                },
            ),
            _manner("tells cpusets as it writes them", answers=near_and_at_once(narrow=False)),
            _manner("keeps shared containers on one NUMA node", answers=near_and_at_once(narrow=True)),
            _manner("refuses in other words", answers=_everywhere(_other_words, ("pick", *NODE))),
            _manner("refuses in words of its own", answers=_everywhere(_own_words, ("pick", *NODE))),
            _manner("takes hidden options for none", questions=_everywhere(in_kubelet(_hidden), _STARTS)),
            _manner("passes over unknown options", questions=_everywhere(in_kubelet(_known_only), _STARTS)),
            _manner(
                "reads the page's max-allowable-numa-nodes",
                questions=_everywhere(in_kubelet(_as_the_page_writes), _STARTS),
            ),
            _manner(
                "keeps out of the pool what a list reserves, and no amount",
                questions=_everywhere(in_kubelet(_strict_of_a_list), (*_STARTS, "allocate")),
            ),
            _manner("asks no device plugin", questions={"node.start": in_machine(_no_preference)}),
            _manner(
                "tells no affinity",
                answers={**_everywhere(each_holding(_no_affinity), HOLDING), "node.state": _of_state(_no_affinity)},
            ),
            _manner("tells no class and no memory books", answers=_everywhere(_silent("qos", "memory_state"))),
            _manner("writes sets out", answers=_everywhere(_one_by_one, ("pick", *NODE))),
            _manner(
                "keeps a file of its own",
                answers={"describe": _without("state-file"), "node.checkpoints": _own_file},
            ),
            _manner("lists in another order", answers=_everywhere(_backwards)),
            _manner(
                "reports memory in several blocks",
                answers={
                    **_everywhere(each_holding(_split_blocks), HOLDING),
                    "node.state": _of_state(_split_blocks),
                },
            ),
        )
    )
)
"""Every manner by name."""
