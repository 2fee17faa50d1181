"""The fields of ``v1 Pod`` in all supported versions of Kubernetes, and the checks of their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..fields import Fields

POD_FIELDS = ("apiVersion", "kind", "metadata", "spec", "status")
RESOURCES_FIELDS = ("claims", "limits", "requests")
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
        name = item.get("name") if isinstance(item, Mapping) else None
        if name is None or name == "":
            fields.fault(f"{path}.name", "Required value: a container needs a name")
        elif isinstance(name, str):
            if name in names:
                fields.fault(f"{path}.name", f"Duplicate value: {name!r}")
            names.add(name)


def check_fields(containers: Iterable[tuple[str, object]], fields: Fields) -> None:
    """Refuse unknown fields of containers; ``containers`` are paths and entries."""
    for path, item in containers:
        if isinstance(item, Mapping):
            fields.known(item, path, CONTAINER_FIELDS, listed=False)
            check_resources(item, path, fields)


def check_resources(owner: Mapping[str, Any], path: str, fields: Fields) -> None:
    """Refuse unknown fields of ``resources``."""
    if isinstance(owner.get("resources"), Mapping):
        fields.known(owner["resources"], f"{path}.resources", RESOURCES_FIELDS)
