"""The chain of admission around the managers: what each handler refuses, and what of a pod is not modelled."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import Refusal
from ...fields import object_at, objects_at
from ...kube.features import FeatureGates
from ...kube.kubelet_config import KubeletConfiguration
from ...kube.kubelet_validation import dotted
from ...kube.pod import Pod
from ...sources.handlers import HANDLERS, SAFE_SYSCTLS, AdmissionHandler
from ...sources.versions import KubernetesVersion
from .admission import Watcher
from .facts import NodeFacts, matches, tolerates
from .fit import ResourceFit
from .preemption import pods_to_end

_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_IPC = ("IPC", "hostIPC")
_NAMESPACES = {
    "kernel.domainname": ("", ""),
    "kernel.": _IPC,
    "fs.mqueue.": _IPC,
    "net.": ("Net", "hostNetwork"),
    "user.": ("User", "hostUsers"),
}
"""The beginning of a sysctl to its namespace, and the field by which a pod shares the host's; the first that fits."""


@dataclass(frozen=True, slots=True)
class Applicant:
    """A pod that is to be admitted, beside which others, to which node."""

    pod: Pod
    config: KubeletConfiguration
    gates: FeatureGates
    facts: NodeFacts
    others: Sequence[Pod] = field(default=())

    @property
    def spec(self) -> Mapping[str, Any]:
        """The specification as it was read."""
        return object_at(self.pod.raw, "spec")

    @property
    def containers(self) -> tuple[Mapping[str, Any], ...]:
        """Init containers and app containers as they were read."""
        return objects_at(self.spec, "initContainers") + objects_at(self.spec, "containers")


Verdict = Refusal | str | None
"""A refusal, or what the pod uses that is not modelled; None where the handler lets it pass."""


def _pressure(applicant: Applicant) -> Verdict:
    pressures, pod = applicant.facts.pressures, applicant.pod
    if not pressures or pod.is_critical:
        return None
    if pressures == ("MemoryPressure",):
        taint = {"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}
        if pod.qos != "BestEffort" or tolerates(objects_at(applicant.spec, "tolerations"), taint):
            return None
    return Refusal("Evicted", f"The node had condition: [{' '.join(pressures)}]. ")


def _sysctls(applicant: Applicant) -> Verdict:
    listed = applicant.config.raw.get("allowedUnsafeSysctls")
    allowed = [name for name, since in SAFE_SYSCTLS.items() if applicant.gates.version >= since]
    allowed += [dotted(name) for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    for sysctl in objects_at(applicant.spec, "securityContext", "sysctls"):
        name = dotted(str(sysctl.get("name")))
        if not any(name == known or (known[-1:] == "*" and name.startswith(known[:-1])) for known in allowed):
            return Refusal("SysctlForbidden", f'forbidden sysctl: "{name}" not allowlisted')
        namespace, field_name = next(
            (space for start, space in _NAMESPACES.items() if name.startswith(start)), ("", "")
        )
        if applicant.spec.get(field_name, field_name == "hostUsers"):
            return Refusal("SysctlForbidden", f'forbidden sysctl: "{name}" not allowed with host {namespace} enabled')
    return None


def _system(name: object, reason: str, what: str) -> Verdict:
    return None if name == "linux" else Refusal(reason, f"Failed to admit pod as the {what}")


def _sidecars(applicant: Applicant) -> Verdict:
    for container in objects_at(applicant.spec, "initContainers"):
        if container.get("restartPolicy") == "Always" and not applicant.gates.enabled("SidecarContainers"):
            text = f'Init container "{container.get("name")}" may not have a non-default restartPolicy'
            return Refusal("InitContainerRestartPolicyForbidden", text)
    return None


def _groups(applicant: Applicant) -> Verdict:
    context = object_at(applicant.spec, "securityContext")
    if context.get("supplementalGroupsPolicy") != "Strict" or applicant.facts.supplemental_groups:
        return None
    text = "SupplementalGroupsPolicy=Strict is not supported in this node"
    is_known = applicant.facts.supplemental_groups is not None
    return Refusal("SupplementalGroupsPolicyNotSupported", text) if is_known else "supplementalGroupsPolicy Strict"


def _amounts(applicant: Applicant) -> Verdict:
    """Say which amounts are not known: those of disks, and what a RuntimeClass or claims add to the pod."""
    asks = any("ephemeral-storage" in container.requests for container in applicant.pod.all_containers)
    unknown = ["ephemeral-storage"] if asks and applicant.facts.storage is None else []
    if applicant.spec.get("runtimeClassName") and not applicant.pod.overhead:
        unknown.append("runtimeClassName without spec.overhead")
    if applicant.pod.claim_names and applicant.gates.enabled("DRANodeAllocatableResources"):
        unknown.append("CPU, memory and huge pages of resource claims")
    return " and ".join(unknown) or None


def _affinity(applicant: Applicant) -> Verdict:
    is_match = matches(applicant.spec, applicant.facts)
    if is_match is None or (applicant.facts.scheduled and not is_match):
        return "nodeSelector" if applicant.spec.get("nodeSelector") else "required node affinity"
    why = "node(s) didn't match Pod's node affinity/selector"
    return None if is_match else _failed("NodeAffinity", why, applicant)


def _failed(name: str, why: str, applicant: Applicant) -> Refusal:
    says_why = applicant.gates.changes.predicates_say_why
    return Refusal(name, f"Predicate {name} failed{': ' * says_why}{why * says_why}")


def _ports(applicant: Applicant) -> Verdict:
    version = applicant.gates.version
    wanted = set(_host_ports(applicant.pod, sidecars=version.minor >= 34))
    if not wanted or applicant.facts.scheduled:
        return "host ports" if wanted else None
    used = {port for other in applicant.others for port in _host_ports(other, sidecars=version.minor >= 34)}
    for address, *port in wanted:
        if any(port == rest and (_ANY in (address, there) or address == there) for there, *rest in used):
            return _failed("NodePorts", "node(s) didn't have free ports for the requested pod ports", applicant)
    return None


_ANY = "0.0.0.0"


def _host_ports(pod: Pod, *, sidecars: bool) -> Iterator[tuple[object, object, object]]:
    """Yield address, protocol and number of each host port; in the host's network a container's port is one."""
    spec = object_at(pod.raw, "spec")
    init = [each for each in objects_at(spec, "initContainers") if sidecars and each.get("restartPolicy") == "Always"]
    for container in (*init, *objects_at(spec, "containers")):
        for port in objects_at(container, "ports"):
            number = port.get("hostPort") or (spec.get("hostNetwork") is True and port.get("containerPort"))
            if number:
                yield port.get("hostIP") or _ANY, port.get("protocol") or "TCP", number


def _taints(applicant: Applicant) -> Verdict:
    tolerations = objects_at(applicant.spec, "tolerations")
    taints = (taint for taint in applicant.facts.taints if taint.get("effect") == "NoExecute")
    if applicant.pod.is_static or applicant.facts.scheduled or all(tolerates(tolerations, taint) for taint in taints):
        return None
    return _failed("TaintToleration", "node(s) had taints that the pod didn't tolerate", applicant)


def _app_armor(applicant: Applicant) -> Verdict:
    profiles = [
        object_at(owner, "securityContext", "appArmorProfile").get("type", "Unconfined")
        for owner in (applicant.spec, *applicant.containers)
    ]
    notes = object_at(applicant.pod.raw, "metadata", "annotations")
    profiles += [profile for name, profile in notes.items() if str(name).startswith(_APP_ARMOR)]
    return "AppArmor profiles" if {*map(str, profiles)} - {"Unconfined", "unconfined"} else None


def _pod_level(applicant: Applicant) -> Verdict:
    original = applicant.pod.original or applicant.pod
    if not original.has_pod_level or applicant.gates.enabled("PodLevelResources"):
        return None
    return Refusal("PodLevelResourcesNotSupported", "PodLevelResources feature gate is disabled")


def _features(applicant: Applicant) -> Verdict:
    if not applicant.gates.enabled("NodeDeclaredFeatures"):
        return None
    for container in applicant.containers:
        if any(rule.get("action") == "RestartAllContainers" for rule in objects_at(container, "restartPolicyRules")):
            return "restart rules of all containers"
        if any(mount.get("bindMountOptions") for mount in objects_at(container, "volumeMounts")):
            return "bindMountOptions"
    is_split = applicant.spec.get("hostNetwork") is True and applicant.spec.get("hostUsers") is False
    return "the host's network with users of its own" if is_split else None


_GOES_DOWN = "Pod was rejected as the node is shutting down."
_CHECKS: Mapping[str, Callable[[Applicant], Verdict]] = {
    "eviction pressure": _pressure,
    "sysctls": _sysctls,
    "OS label": lambda each: _system(
        object_at(each.pod.raw, "metadata", "labels").get("kubernetes.io/os", "linux"),
        "PodOSSelectorNodeLabelDoesNotMatch",
        "`kubernetes.io/os` label doesn't match node label",
    ),
    "OS field": lambda each: _system(
        object_at(each.spec, "os").get("name", "linux"), "PodOSNotSupported", "OS field doesn't match node OS"
    ),
    "sidecars": _sidecars,
    "supplemental groups": _groups,
    "fit": _amounts,
    "node affinity": _affinity,
    "host ports": _ports,
    "taints": _taints,
    "AppArmor": _app_armor,
    "pod-level gate": _pod_level,
    "declared features": _features,
    "shutdown": lambda each: Refusal("NodeShutdown", _GOES_DOWN) if each.facts.shuts_down else None,
}


def _verdicts(handlers: Iterable[AdmissionHandler], applicant: Applicant) -> Iterator[tuple[AdmissionHandler, Verdict]]:
    return ((handler, _CHECKS[handler.name](applicant)) for handler in handlers if handler.name in _CHECKS)


def _handlers(version: KubernetesVersion) -> list[AdmissionHandler]:
    return [handler for handler in HANDLERS.values() if version in handler.versions]


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """What pods use that is not modelled, and the handler that would look at it."""

    use: str
    handler: AdmissionHandler

    def describe(self, pods: str) -> str:
        """Say it of pods."""
        return f"not modelled: {self.use} of {pods}; a kubelet refuses a pod if {self.handler.refuses}"

    def to_dict(self) -> dict[str, str]:
        """Return it for a program."""
        return {"what": self.use, "refusedIf": self.handler.refuses}


def unmodelled(applicant: Applicant) -> list[Unmodelled]:
    """Return what a pod uses that is not modelled."""
    verdicts = _verdicts(_handlers(applicant.gates.version), applicant)
    return [Unmodelled(verdict, handler) for handler, verdict in verdicts if isinstance(verdict, str)]


class AdmissionChain:
    """The handlers of one node's kubelet but for its managers, in their order (ADM-CHAIN-02)."""

    def __init__(self, config: KubeletConfiguration, gates: FeatureGates, facts: NodeFacts, fit: ResourceFit) -> None:
        self._config, self._gates, self._facts, self._fit = config, gates, facts, fit
        tells_allocated = gates.enabled("InPlacePodLevelResourcesVerticalScaling")
        fit.status_has_overhead = fit.quirks.overhead_counts_twice and tells_allocated
        self._handlers = _handlers(gates.version)
        if not gates.changes.os_is_looked_at_before_fit:
            self._handlers.sort(key=lambda handler: handler.name in ("OS label", "OS field"))
        names = [handler.name for handler in self._handlers]
        self._managers, self._later = names.index("managers"), names.index("taints") + 1

    def check_before(self, pod: Pod, others: Sequence[Pod], watcher: Watcher | None) -> None:
        """Raise ``Refusal`` of the first handler before the managers that refuses."""
        self._check(self._handlers[: self._managers], pod, others, watcher)

    def check_after(self, pod: Pod, others: Sequence[Pod], ended: list[Pod], watcher: Watcher | None) -> None:
        """Raise ``Refusal`` of the first handler after the managers that refuses; add the pods that end to ``ended``.

        They end even where a handler after the predicates refuses.
        """
        self._check(self._handlers[self._managers : self._later], pod, others, watcher)
        if pod.is_critical:
            ended += self.make_room(pod, others)
        self._check(self._handlers[self._later :], pod, others, watcher)

    def make_room(self, pod: Pod, others: Sequence[Pod]) -> list[Pod]:
        """Return the pods that end so that a pod fits (ADM-PRED-02); raises ``Refusal``."""
        if not pod.is_critical:
            self._fit.check(pod, others)
        missing = {shortage.name: shortage.missing for shortage in self._fit.shortages(pod, others)}
        return pods_to_end(pod, others, missing, self._fit.freed)

    def shut_down(self) -> None:
        """Refuse all pods from now on."""
        self._facts = replace(self._facts, shuts_down=True)

    def unmodelled(self, pod: Pod) -> list[Unmodelled]:
        """Return what a pod uses that is not modelled."""
        return unmodelled(Applicant(pod, self._config, self._gates, self._facts))

    def _check(
        self, handlers: Sequence[AdmissionHandler], pod: Pod, others: Sequence[Pod], watcher: Watcher | None
    ) -> None:
        for handler, verdict in _verdicts(handlers, Applicant(pod, self._config, self._gates, self._facts, others)):
            if handler.name == "fit" and not pod.is_critical:
                self._fit.check(pod, others)
            if isinstance(verdict, Refusal):
                if watcher:
                    watcher.refused(pod, None, handler.name)
                raise verdict
