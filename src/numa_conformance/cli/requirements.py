"""``numa-conformance requirements``: what the suite tests."""

from __future__ import annotations

import click

from ..suite.documentation import protocol_page, requirements_page, rules_page
from ..suite.requirements import REQUIREMENTS
from ..suite.versions_page import versions_page
from .terminal import print_json

__all__ = ["command"]


@click.command("requirements")
@click.option("--json", "as_json", is_flag=True, help="Print the registry as JSON.")
@click.option("--markdown", is_flag=True, help="Print the page docs/requirements.md.")
@click.option("--protocol", is_flag=True, help="Print the page docs/protocol.md.")
@click.option("--rules", is_flag=True, help="Print the page docs/rules.md.")
@click.option("--versions", is_flag=True, help="Print the page docs/versions.md.")
def command(as_json: bool, markdown: bool, protocol: bool, rules: bool, versions: bool) -> None:
    """List the requirements: id, statement, source, versions, features."""
    if protocol:
        click.echo(protocol_page(), nl=False)
    elif rules:
        click.echo(rules_page(), nl=False)
    elif versions:
        click.echo(versions_page(), nl=False)
    elif markdown:
        click.echo(requirements_page(), nl=False)
    elif as_json:
        print_json(
            [
                {
                    "id": one.id,
                    "text": one.text,
                    "page": one.page,
                    "section": one.section,
                    "since": one.since,
                    "until": one.until,
                    "strength": one.strength,
                    "level": one.level,
                    "area": one.area,
                    "features": list(one.features),
                }
                for one in REQUIREMENTS.values()
            ]
        )
    else:
        for one in REQUIREMENTS.values():
            click.echo(f"{one.id}\n    {one.text}\n    {one.source}; since {one.since}; {', '.join(one.features)}")
