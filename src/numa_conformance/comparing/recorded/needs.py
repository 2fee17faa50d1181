"""Which features a target must claim for a recorded decision to be a fair question."""

from typing import Any

from ...sources.options import TOPOLOGY_OPTIONS
from ...sources.policies import TOPOLOGY_POLICIES, policies_of
from ...wire.features import FEATURES


def features_needed(kind: str, body: dict[str, Any]) -> frozenset[str]:
    """Return the features that the decision exercises; empty for a kind that is not known."""
    if kind == "qos":
        return frozenset({"node/qos"})
    if kind == "merge":
        return _topology(body["policy"], "container", body.get("options") or {}) - {"topology-manager/scope/container"}
    if kind == "noderesourcesfit":
        strategy = str(body.get("strategy", {}).get("type", "LeastAllocated"))
        return frozenset({"scheduler/filter", f"scheduler/{_SCHEDULER.get(strategy, 'least-allocated')}"})
    if kind == "cpu-static":
        return _kubelet(body["kubelet"]) | {"cpu-manager/hints"}
    if kind in ("admission", "lifecycle"):
        needed = set()
        for step in body.get("steps", []):
            if step["op"] in _STEP_FEATURES:
                needed.add(_STEP_FEATURES[step["op"]])
            if step["op"] == "checkpoints":
                if body["machine"].get("devices"):
                    needed.add("device-manager/state-file")
                if body["kubelet"].get("memoryManagerPolicy") == "Static":
                    needed.add("memory-manager/state-file")
            if step["op"] == "admit" and (step["pod"].get("spec") or {}).get("initContainers"):
                needed.add("cpu-manager/init-containers")
        return _kubelet(body["kubelet"]) | _machine(body) | frozenset(needed)
    return frozenset()


_SCHEDULER = {strategy.name: strategy.feature for strategy in policies_of("scoringStrategy.type")}


def _kubelet(config: dict[str, Any]) -> frozenset[str]:
    needed = {f"cpu-manager/{'none' if config.get('cpuManagerPolicy', 'none') == 'none' else 'static'}"}
    needed |= {f"cpu-manager/{name}" for name in config.get("cpuManagerPolicyOptions") or {}} & FEATURES.keys()
    if "memoryManagerPolicy" in config:
        needed.add(f"memory-manager/{'none' if config['memoryManagerPolicy'] == 'None' else 'static'}")
    if "topologyManagerScope" in config:
        needed |= _topology(
            config.get("topologyManagerPolicy", "none"),
            config["topologyManagerScope"],
            config.get("topologyManagerPolicyOptions") or {},
        )
    return frozenset(needed)


def _topology(policy: str, scope: str, options: dict[str, str]) -> frozenset[str]:
    known = policy if policy in TOPOLOGY_POLICIES else "none"
    needed = {f"topology-manager/{known}"}
    if known != "none":
        needed.add(f"topology-manager/scope/{'pod' if scope == 'pod' else 'container'}")
    return frozenset(needed | {f"topology-manager/{name}" for name in options if name in TOPOLOGY_OPTIONS})


def _machine(body: dict[str, Any]) -> frozenset[str]:
    machine = body["machine"]
    needed = set()
    if machine.get("devices"):
        needed.add("device-manager/allocation")
        if any((plugin or {}).get("preferredAllocation") for plugin in (machine.get("devicePlugins") or {}).values()):
            needed.add("device-manager/preferred-allocation")
    static = body["kubelet"].get("memoryManagerPolicy") == "Static"
    if static and any(node.get("hugepages") for node in machine.get("memory", [])):
        needed.add("memory-manager/hugepages")
    return frozenset(needed)


_STEP_FEATURES = {
    "reconcile": "cpu-manager/reconcile",
    "checkpoints": "cpu-manager/state-file",
    "restart": "node/restart",
}
