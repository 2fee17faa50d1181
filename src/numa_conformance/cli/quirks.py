"""``numa-conformance quirks``: where the kubelet departs from its documentation."""

from __future__ import annotations

import dataclasses

import click

from ..documentation.quirks import QUIRKS
from ..suite.documentation import quirks_page
from .terminal import print_json

__all__ = ["command"]


@click.command("quirks")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@click.option("--markdown", is_flag=True, help="Print the page docs/quirks.md.")
def command(as_json: bool, markdown: bool) -> None:
    """List where the kubelet departs from its documentation."""
    if markdown:
        click.echo(quirks_page(), nl=False)
    elif as_json:
        print_json([{**dataclasses.asdict(quirk), "versions": str(quirk.versions)} for quirk in QUIRKS.values()])
    else:
        for quirk in QUIRKS.values():
            click.echo(
                f"{quirk.id} (Kubernetes {quirk.versions})\n    {quirk.summary}\n    documented: {quirk.documented}"
            )
