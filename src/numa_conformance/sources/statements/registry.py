"""All statements, by id, in the order of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    cpu_management_policies,
    device_plugins,
    dra_drivers,
    exporters,
    memory_manager,
    node_resource_managers,
    nri_plugins,
    pods,
    references,
    resize,
    scheduler,
    static_policy_options,
    topology_manager,
    topology_source,
)
from .statement import Statement

PAGES = (
    node_resource_managers,
    static_policy_options,
    cpu_management_policies,
    topology_manager,
    topology_source,
    memory_manager,
    device_plugins,
    dra_drivers,
    nri_plugins,
    exporters,
    pods,
    resize,
    scheduler,
    references,
)

STATEMENTS: Mapping[str, Statement] = MappingProxyType(
    {statement.id: statement for page in PAGES for statement in page.STATEMENTS}
)
"""Every statement, by id."""
