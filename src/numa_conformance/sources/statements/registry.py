"""All statements, by id, in the order of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    cpu_management_policies,
    daemons,
    device_plugins,
    memory_manager,
    node_resource_managers,
    pods,
    scheduler,
    static_policy_options,
    topology_manager,
    topology_source,
)
from .statement import Statement, read_statements

MODULES = (
    node_resource_managers,
    static_policy_options,
    cpu_management_policies,
    topology_manager,
    topology_source,
    memory_manager,
    device_plugins,
    daemons,
    pods,
    scheduler,
)

STATEMENTS: Mapping[str, Statement] = MappingProxyType(
    {statement.id: statement for module in MODULES for statement in read_statements(module.TEXT)}
)
"""Every statement, by id."""
