"""The fields of ``v1 Pod`` in all supported versions of Kubernetes, of objects that hold or surround resources."""

from __future__ import annotations

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
