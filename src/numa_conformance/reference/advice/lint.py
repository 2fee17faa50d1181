"""What to say of a KubeletConfiguration before it meets a node."""

from __future__ import annotations

from ...errors import StartError
from ...kube import KubeletConfiguration, validate
from ...machine import Machine
from ...sources.quirks import Quirks
from ...sources.versions import KubernetesVersion
from ..node import Node
from .findings import Finding
from .refused import refusals
from .unwise import remarks_on_fields, remarks_on_machine


def lint(
    config: KubeletConfiguration, version: KubernetesVersion, quirks: Quirks, machine: Machine | None = None
) -> list[Finding]:
    """Return what a kubelet refuses in a configuration or, where it comes up, what is unwise or without effect.

    Without a machine only what holds on every machine is said. Raises ``UsageError`` as ``Node`` does.
    """
    findings = refusals(config, version, quirks, machine)
    if machine is None:
        return [*findings, *remarks_on_fields(config)]
    try:
        validate(config, version)
        node = Node(machine, config, kubernetes_version=version, quirks=quirks, resource_fit=True)
    except StartError as error:
        return findings or [Finding("refused", error.stage, error.message)]
    return [*remarks_on_fields(config), *remarks_on_machine(node)]
