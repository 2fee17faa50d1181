"""The fields of ``v1 Pod`` in all supported versions of Kubernetes, and the checks of their names."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..fields import Fields, object_at, objects_at

POD_FIELDS = ("apiVersion", "kind", "metadata", "spec", "status")
_SPEC = """
activeDeadlineSeconds affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks
ephemeralContainers hostAliases hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets
initContainers nodeName nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates
resourceClaims resources restartPolicy runtimeClassName schedulerName schedulingGates schedulingGroup
securityContext serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain
terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes workloadRef
"""
_CONTAINER = """
args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe resizePolicy
resources restartPolicy restartPolicyRules securityContext startupProbe stdin stdinOnce terminationMessagePath
terminationMessagePolicy tty volumeDevices volumeMounts workingDir
"""
SPEC_FIELDS: tuple[str, ...] = tuple(_SPEC.split())
CONTAINER_FIELDS: tuple[str, ...] = tuple(_CONTAINER.split())


def check_names(containers: Iterable[tuple[str, object]], fields: Fields) -> None:
    """Refuse containers without a name, and names that repeat; ``containers`` are paths and entries."""
    names: set[str] = set()
    for path, item in containers:
        name = object_at(item).get("name")
        if name is None or name == "":
            fields.fault(f"{path}.name", "Required value: a container needs a name")
        elif isinstance(name, str):
            if name in names:
                fields.fault(f"{path}.name", f"Duplicate value: {name!r}")
            names.add(name)


def check_resources(owner: Mapping[str, Any], path: str, fields: Fields) -> None:
    """Refuse unknown fields of ``resources``."""
    if isinstance(owner.get("resources"), Mapping):
        fields.known(owner["resources"], f"{path}.resources", ("claims", "limits", "requests"))


_CHOICES = {"os.name": ("linux", "windows"), "securityContext.supplementalGroupsPolicy": ("Merge", "Strict")}
_LAST_PORT = 65535


def check_containers(spec: Mapping[str, Any], containers: Sequence[tuple[str, object]], fields: Fields) -> None:
    """Refuse unknown fields of containers, and what the API server does of those that decide at admission.

    ``containers`` are paths and entries.
    """
    for path, item in containers:
        if isinstance(item, Mapping):
            fields.known(item, path, CONTAINER_FIELDS, listed=False)
            check_resources(item, path, fields)
    for path, names in _CHOICES.items():
        *owners, name = path.split(".")
        value = object_at(spec, *owners).get(name)
        if value not in (None, *names):
            listed = ", ".join(f'"{known}"' for known in names)
            fields.fault(f"spec.{path}", f'Unsupported value: "{value}": supported values: {listed}')
    for path, item in containers:
        if (policy := object_at(item).get("restartPolicy")) not in (None, "Always", "Never", "OnFailure"):
            fields.fault(f"{path}.restartPolicy", f'Unsupported value: "{policy}": supported values: "Always"')
        for index, port in enumerate(objects_at(item, "ports")):
            at, inside, outside = f"{path}.ports[{index}]", port.get("containerPort"), port.get("hostPort")
            if not inside:
                fields.fault(f"{at}.containerPort", "Required value")
            for name in ("containerPort", "hostPort"):
                if port.get(name) and not 0 < fields.whole(port[name], f"{at}.{name}", 1) <= _LAST_PORT:
                    text = f"Invalid value: {port[name]}: must be between 1 and {_LAST_PORT}, inclusive"
                    fields.fault(f"{at}.{name}", text)
            if spec.get("hostNetwork") is True and outside and outside != inside:
                text = f"Invalid value: {outside}: must match `containerPort` when `hostNetwork` is true"
                fields.fault(f"{at}.hostPort", text)
