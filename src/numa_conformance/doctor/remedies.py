"""What to do about a finding: as the documentation says where it says so, else what makes the node right again."""

from __future__ import annotations

from ..judging.chapter import Violation
from ..reference.managers.cpu.state_file import CPU_FILE
from ..reference.managers.device.state_file import DEVICE_FILE
from ..reference.managers.memory.state_file import MEMORY_FILE
from .look import Sight

_SEND_AGAIN = (
    "restart the kubelet: its first pass sends every cpuset anew; if it differs again, find out what else writes to "
    "cgroups"
)
_RUNS = (
    "cpu-manager/reconcile/running-containers-get-their-cpusets",
    "memory-manager/static/guarantees-memory-to-guaranteed-pods",
)
_PODS_AGAIN = "delete the pods named, so that they are admitted anew"
_FILES = {"cpu-manager": CPU_FILE, "memory-manager": MEMORY_FILE, "device-manager": DEVICE_FILE}


def remedy_of(sight: Sight, requirement: str, wrong: Violation, *, of_configuration: bool) -> str:
    """Return what to do."""
    if of_configuration:
        return "change the configuration before the kubelet starts again; `numa-conformance lint` tells more of it"
    if requirement in _RUNS:
        return _running(wrong)
    if requirement == "cpu-manager/static/exclusive-cpus-have-no-quota":
        return "switch the feature gate DisableCPUQuotaWithExclusiveCPUs on, and delete the pods named"
    if requirement == "protocol/state-agrees-with-answers":
        return "look again; if it stays so, restart the kubelet, and report it to who made it"
    if requirement.startswith("topology-manager/"):
        return f"{_PODS_AGAIN}: they were admitted under another policy, or not as documented"
    if requirement == "cpu-manager/shared-pool/regains-cpus-on-removal":
        return f"restart the kubelet: its first pass takes them back; if it does not, {_begin_anew(sight, requirement)}"
    if requirement == "cpu-manager/shared-pool/never-empties":
        return "reserve fewer CPUs for the system or run fewer exclusive CPUs; delete a pod with exclusive CPUs"
    return _begin_anew(sight, requirement)


def _running(wrong: Violation) -> str:
    kinds = {fact.partition(":")[0] for fact in wrong.about}
    if "effective" in kinds:
        return "widen the cpuset of the cgroup above, which something else than the kubelet narrowed"
    if "thread" in kinds:
        return "delete the pod; threads that a cgroup does not hold were moved, or set, by something else"
    return _SEND_AGAIN


def _begin_anew(sight: Sight, requirement: str) -> str:
    """Return the documented procedure (Control CPU Management Policies, Changing the CPU Manager Policy)."""
    name = _FILES.get(requirement.partition("/")[0], CPU_FILE)
    file = sight.state.files.get(name)
    path = f"/{file.path}" if file else name
    return f"drain the node, stop the kubelet, remove {path}, start the kubelet"
