"""All statements, by id, in the order of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ...files import text_of
from ..options import STATIC_OPTIONS, PolicyOption
from .statement import Statement, read_statements

FILES = (
    "node_resource_managers",
    "static_policy_options",
    "cpu_management_policies",
    "topology_manager",
    "topology_source",
    "memory_manager",
    "device_plugins",
    "daemons",
    "pods",
    "scheduler",
)
"""The texts of statements beside this module, one for each page or a few."""
_EACH_OPTION = "each option\n"
"""The line in a text for what the page says of each option in the same words; it follows from the option's record."""
_VISIBILITY = {"alpha": "hidden", "beta": "visible", "ga": "visible"}


def sentences_of(option: PolicyOption) -> str:
    """Return the three sentences that the page says of each option."""
    name, since = option.name, option.since
    stage, span = option.on_the_page
    return f"""\
{name} [MUST {since}+] There is the option {name}: {option.text}.
{name}-is-{stage} [MUST {span}] {name} is {stage} and {_VISIBILITY[stage]} by default.
{name}-since [MUST {since}+] {name} is available since {since}.
"""


def text_of_page(name: str) -> str:
    """Return a text of statements, with the sentences of each option where it says so."""
    return text_of(__package__, f"{name}.txt").replace(
        _EACH_OPTION, "".join(map(sentences_of, STATIC_OPTIONS.values()))
    )


STATEMENTS: Mapping[str, Statement] = MappingProxyType(
    {statement.id: statement for name in FILES for statement in read_statements(text_of_page(name))}
)
"""Every statement, by id."""
