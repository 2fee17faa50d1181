"""The file and the line that show a finding: facts, as the judge names them, where they were read."""

from collections.abc import Iterator

from ..cpuset import union
from ..judging.chapter import Violation
from ..reference.managers.cpu.state_file import CPU_FILE
from ..reference.managers.device.state_file import DEVICE_FILE
from ..reference.managers.memory.state_file import MEMORY_FILE
from ..reference.managers.state_file import CORRUPTED
from .look import ContainerSight, Sight
from .pod_resources import DUMPED
from .tree import Line

MOST = 6
"""Lines that are told of one finding."""
_MANAGERS = {"cpu-manager": CPU_FILE, "memory-manager": MEMORY_FILE, "device-manager": DEVICE_FILE}
_FIELDS = {
    "reservation": ("reservedSystemCPUs", "kubeReserved", "systemReserved"),
    "strict-cpu-reservation": ("reservedSystemCPUs", "cpuManagerPolicyOptions"),
    "reserved-memory": ("reservedMemory", "memoryManagerPolicy"),
    "max-allowable-numa-nodes": ("topologyManagerPolicy", "topologyManagerPolicyOptions"),
    "policy-options": ("topologyManagerPolicyOptions",),
    "scope": ("topologyManagerScope",),
}
"""The second part of a requirement's id to the fields that it is about."""
_POLICIES = {
    "cpu-manager": ("cpuManagerPolicy", "cpuManagerPolicyOptions"),
    "memory-manager": ("memoryManagerPolicy",),
    "topology-manager": ("topologyManagerPolicy",),
}


def evidence_of(sight: Sight, requirement: str, wrong: Violation, *, of_configuration: bool) -> list[Line]:
    """Return the lines that show what is wrong, at least one: the facts it names, else those it must be about."""
    lines = [line for fact in wrong.about for line in _fact(sight, fact)]
    if not lines:
        of_files = () if of_configuration else _files(sight, requirement, wrong)
        lines = [*of_files, *_configuration_lines(sight, requirement)]
    if not lines:
        process = sight.configured.process
        where = [*sight.configured.files, *([process.file] if process else [])]
        where += [file.path for file in sight.state.files.values()]
        lines = [Line.of("", where[0])] if where else []
    return list({(line.file, line.number, str(line)): line for line in lines}.values())[:MOST]


def _fact(sight: Sight, fact: str) -> Iterator[Line]:
    kind, _, about = fact.partition(":")
    uid, _, name = about.partition("/")
    if kind in ("cpu", "memory", "device"):
        yield from _entry(sight, {"cpu": CPU_FILE, "memory": MEMORY_FILE, "device": DEVICE_FILE}[kind], uid, name)
    elif kind == "pool":
        yield from _entry(sight, CPU_FILE, "defaultCpuSet")
    elif kind == "file":
        yield from _entry(sight, about, "policyName")
    elif kind == "config":
        yield from (sight.configured.lines[about],) if about in sight.configured.lines else ()
    elif kind == "thread":
        path = f"proc/{about}/status"
        for number, text in enumerate((sight.tree.text(path) or "").splitlines(), 1):
            if text.startswith(("Cpus_allowed_list", "Mems_allowed_list")):
                yield Line.of(text, path, number)
    elif kind == "pod-limit":
        for cgroup in sight.pods:
            if cgroup.uid == uid:
                yield from (line for file in cgroup.limit_files() if (line := sight.tree.line(file)) is not None)
    elif kind == "listed":
        yield Line.of(f"container {name} of pod {uid}", DUMPED if str(sight.tree.root) != "/" else "PodResources")
    else:
        for container in sight.running:
            if container.uid == uid and (not name or container.name == name):
                yield from _cgroup(sight, kind, container)
                break


def _entry(sight: Sight, file: str, *names: str) -> Iterator[Line]:
    if file in sight.state.files:
        yield sight.state.files[file].line(*names)


def _cgroup(sight: Sight, kind: str, container: ContainerSight) -> Iterator[Line]:
    cgroup = container.cgroup
    files = {
        "runs": (cgroup.cpus_file,),
        "effective": (cgroup.effective_file, *_above(sight, container)),
        "mems": (cgroup.mems_file,),
        "limit": cgroup.limit_files(),
    }
    if kind == "qos":
        yield Line.of(f"{cgroup.qos} by its place", cgroup.path)
    for file in files.get(kind, ()):
        if (line := sight.tree.line(file)) is not None:
            yield line


def _above(sight: Sight, container: ContainerSight) -> Iterator[str]:
    """Yield the files of the cgroups above that lack a CPU which the container's has."""
    folder = container.cgroup.path
    while folder != container.cgroup.hierarchy.folder and "/" in folder:
        folder = folder.rpartition("/")[0]
        bits = sight.tree.bits(f"{folder}/cpuset.cpus")
        if bits and (container.written or 0) & ~bits:
            yield f"{folder}/cpuset.cpus"


def _files(sight: Sight, requirement: str, wrong: Violation) -> Iterator[Line]:
    """Yield the entries of a manager's state file that hold some of the CPUs that matter, or its beginning."""
    name = _MANAGERS.get(requirement.partition("/")[0], CPU_FILE)
    marked = union(wrong.marks.values())
    if name == CPU_FILE and sight.state.cpus is not None:
        for uid, containers in sight.state.cpus.assignments.items():
            for container, cpus in containers.items():
                if cpus & marked:
                    yield from _entry(sight, CPU_FILE, uid, container)
        yield from _entry(sight, CPU_FILE, "defaultCpuSet")
    elif name == DEVICE_FILE and sight.state.devices is not None:
        for entry in sight.state.devices:
            for id in {id for ids in entry.devices.values() for id in ids}:
                if id in wrong.why.split():
                    yield from _entry(sight, DEVICE_FILE, entry.uid, entry.container, entry.resource)
    else:
        yield from _entry(sight, name, "machineState")


def _configuration_lines(sight: Sight, requirement: str) -> Iterator[Line]:
    """Yield the lines of the configuration that a requirement is about."""
    manager, _, rest = requirement.partition("/")
    for field in _FIELDS.get(rest.partition("/")[0], _POLICIES.get(manager, ())):
        if field in sight.configured.lines:
            yield sight.configured.lines[field]


_SEND_AGAIN = (
    "restart the kubelet: its first pass sends every cpuset again; if it differs again, find out what else writes to "
    "cgroups"
)
_RUNS = (
    "cpu-manager/reconcile/running-containers-get-their-cpusets",
    "memory-manager/static/guarantees-memory-to-guaranteed-pods",
)
_PODS_AGAIN = "delete the pods named, so that they are admitted again"


def remedy_of(sight: Sight, requirement: str, wrong: Violation, *, of_configuration: bool) -> str:
    """Return what to do."""
    if of_configuration:
        return "change the configuration before the kubelet starts again; `numa-conformance lint` has more on it"
    if requirement in _RUNS:
        kinds = {fact.partition(":")[0] for fact in wrong.about}
        if "effective" in kinds:
            return "widen the cpuset of the cgroup above, which something else than the kubelet narrowed"
        if "thread" in kinds:
            return "delete the pod; threads that a cgroup does not hold were moved, or set, by something else"
        return _SEND_AGAIN
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


def _begin_anew(sight: Sight, requirement: str) -> str:
    """Return the documented procedure (Control CPU Management Policies, Changing the CPU Manager Policy)."""
    name = _MANAGERS.get(requirement.partition("/")[0], CPU_FILE)
    file = sight.state.files.get(name)
    path = f"/{file.path}" if file else name
    edited = "; --state-as-it-is reads a text that was edited" if file and CORRUPTED in (file.damage or "") else ""
    return f"drain the node, stop the kubelet, remove {path}, start the kubelet{edited}"
