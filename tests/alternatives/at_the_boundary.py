"""The reference with another manner: what it tells, when it writes, what it makes of a configuration."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from changes.rewrites import each_holding, in_kubelet, in_machine
from numa_conformance.cpuset import CpuSet

from .alternative import alternative

BETA = {"full-pcpus-only"}
HIDING = {True: "CPUManagerPolicyBetaOptions", False: "CPUManagerPolicyAlphaOptions"}
CPU_SETS = ("cpus", "cpuset", "default_cpuset", "reserved_cpus", "allocatable_cpus")
NODE = ("node.start", "node.admit", "node.run", "node.remove", "node.state", "node.restart", "node.reconcile")
HOLDING = ("node.admit", "node.run", "node.resize", "node.restart")
STARTS = ("node.start", "node.restart")


def _without(*words):
    """Claim nothing whose name has one of these words in it."""

    def rewrite(answer, memory):
        features = [name for name in answer["features"] if not any(word in name for word in words)]
        return {**answer, "features": features, "surfaces": [name for name in answer["surfaces"] if name not in words]}

    return rewrite


@alternative().answer("hints")
def tells_the_default_hint(answer, memory):
    """Says that any NUMA node will do, where nothing is said of CPUs."""
    return answer if answer.get("hints") else {"hints": {"cpu": [{"nodes": None, "preferred": True}]}}


def _of_state(change):
    def rewrite(answer, memory):
        for own in answer["containers"].values():
            for holding in own.values():
                change(holding, answer)
        return answer

    return rewrite


def _untold(*names):
    def change(holding, answer):
        for name in names:
            holding.pop(name, None)

    return change


def _all_holdings(changed, change):
    """Change what each container holds, wherever it is told."""
    changed.answer(*HOLDING)(each_holding(change))
    return changed.answer("node.state")(_of_state(change))


writes_cpusets_at_once = _all_holdings(alternative(), _untold("cpuset", "mems"))
writes_cpusets_at_once.answer("describe")(_without("host", "node/cpuset"))


@writes_cpusets_at_once.answer("node.reconcile")
def writes_cpusets_at_once(answer, memory):
    return {**answer, "updates": []}


@alternative().question("node.restart")
def writes_cgroups_from_the_second_pass_after_a_restart(question, memory):
    memory.notes["rests"] = True
    return question


@writes_cgroups_from_the_second_pass_after_a_restart.question("host.reconcile")
def writes_cgroups_from_the_second_pass_after_a_restart(question, memory):
    """Look into a tree without a container in the first pass."""
    if not memory.notes.pop("rests", False):
        return question
    kept = memory.notes["empty"] = TemporaryDirectory()
    Path(kept.name, "cgroup.controllers").touch()
    return {**question, "root": kept.name}


@alternative().answer("node.reconcile")
def writes_all_cpusets_in_every_pass(answer, memory):
    """Send each running container its cpuset in every pass."""
    pool, running = memory.notes.get("pool", ""), memory.notes.get("running", {})
    sent = {(uid, name): cpus or pool for uid, own in running.items() for name, cpus in own.items()}
    updates = [{"uid": uid, "container": name, "cpus": cpus} for (uid, name), cpus in sent.items() if cpus]
    return {**answer, "updates": updates, "handled": len(updates)}


writes_all_cpusets_in_every_pass.answer("describe")(_without("host"))


def _remember(answer, memory):
    if "default_cpuset" in answer:
        memory.notes["pool"] = answer["default_cpuset"]
    return answer


@writes_all_cpusets_in_every_pass.answer("node.admit")
def writes_all_cpusets_in_every_pass(answer, memory):
    if answer["result"] == "admitted":
        pod = memory.asked["node.admit"]["pod"]
        lasting = [own["name"] for own in pod["spec"]["containers"]]
        lasting += [own["name"] for own in pod["spec"].get("initContainers", ()) if own.get("restartPolicy")]
        memory.notes.setdefault("lasting", {})[pod["metadata"]["uid"]] = lasting
    return _remember(answer, memory)


@writes_all_cpusets_in_every_pass.answer("node.run")
def writes_all_cpusets_in_every_pass(answer, memory):
    if answer["result"] == "started":
        uid = memory.asked["node.run"]["uid"]
        own = {name: answer["containers"][name]["cpus"] for name in memory.notes["lasting"][uid]}
        memory.notes.setdefault("running", {})[uid] = own
    return _remember(answer, memory)


@writes_all_cpusets_in_every_pass.answer("node.remove")
def writes_all_cpusets_in_every_pass(answer, memory):
    memory.notes.get("running", {}).pop(memory.asked["node.remove"]["uid"], None)
    return _remember(answer, memory)


@writes_all_cpusets_in_every_pass.answer("node.restart")
def writes_all_cpusets_in_every_pass(answer, memory):
    for pod in answer.get("pods") or ():
        if pod["result"] == "rejected":
            memory.notes.get("running", {}).pop(pod["uid"], None)
    return _remember(answer, memory)


writes_all_cpusets_in_every_pass.answer("node.start")(_remember)


@alternative().answer("pick", *NODE)
def refuses_in_other_words(answer, memory):
    """Say refusals otherwise: with the kubelet's words in quotation marks."""
    return {**answer, "message": f"this node cannot do that ({answer['message']})"} if "message" in answer else answer


@alternative().answer("pick", *NODE)
def refuses_in_words_of_its_own(answer, memory):
    return {**answer, "message": "no"} if "message" in answer else answer


@alternative().question(*STARTS)
@in_kubelet
def takes_hidden_options_for_none(kubelet):
    """Take an option whose gate is off for one that is not there."""
    gates = kubelet.get("featureGates") or {}
    options = kubelet.get("cpuManagerPolicyOptions") or {}
    shown = {name for name in options if gates.get(HIDING[name in BETA], name in BETA)}
    kubelet["cpuManagerPolicyOptions"] = {name: text for name, text in options.items() if name in shown}


@alternative().question(*STARTS)
@in_kubelet
def passes_over_unknown_options(kubelet):
    """Pass over options that nobody knows."""
    known = {"full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket", "distribute-cpus-across-cores"}
    known |= {"strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"}
    options = kubelet.get("cpuManagerPolicyOptions") or {}
    kubelet["cpuManagerPolicyOptions"] = {name: text for name, text in options.items() if name in known}


@alternative().question(*STARTS)
@in_kubelet
def reads_the_pages_max_allowable_numa_nodes(kubelet):
    """Read max-allowable-numa-nodes=true as leave for any number."""
    options = dict(kubelet.get("topologyManagerPolicyOptions") or {})
    if options.get("max-allowable-numa-nodes") == "true":
        options["max-allowable-numa-nodes"] = "64"
    kubelet["topologyManagerPolicyOptions"] = options


@alternative().question(*STARTS, "allocate")
@in_kubelet
def keeps_out_of_the_pool_what_a_list_reserves_and_no_amount(kubelet):
    """Keep the CPUs of a list out of the shared pool, and none of those of an amount."""
    options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
    if options.get("strict-cpu-reservation") == "true" and not kubelet.get("reservedSystemCPUs"):
        kubelet["cpuManagerPolicyOptions"] = {**options, "strict-cpu-reservation": "false"}


@alternative().question("node.start")
@in_machine
def asks_no_device_plugin(machine):
    machine.pop("preferredAllocation", None)
    machine.pop("preferred_allocation", None)


tells_no_affinity = _all_holdings(alternative(), _untold("affinity"))


@alternative().answer(*NODE)
def tells_no_class_and_no_memory_books(answer, memory):
    return {name: value for name, value in answer.items() if name not in ("qos", "memory_state")}


def _one_by_one(answer, memory=None):
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


writes_sets_out = alternative().answer("pick", *NODE)(_one_by_one)


@alternative().answer("node.checkpoints")
def keeps_a_file_of_its_own(answer, memory):
    return {**answer, "checkpoints": {"node.json": "{}"}}


keeps_a_file_of_its_own.answer("describe")(_without("state-file"))


@alternative().answer(*NODE)
def lists_in_another_order(answer, memory):
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


def _split_blocks(holding, answer):
    """Report what lies on one NUMA node in two blocks."""
    blocks = []
    for block in holding.get("memory") or ():
        half = block["bytes"] // 2
        blocks += [{**block, "bytes": half}, {**block, "bytes": block["bytes"] - half}] if half else [block]
    if holding.get("memory"):
        holding["memory"] = blocks


reports_memory_in_several_blocks = _all_holdings(alternative(), _split_blocks)
