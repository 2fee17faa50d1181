"""``numa-conformance quirks``: where the kubelet departs from its documentation."""

import dataclasses
from typing import Any

import click

from ..sources.quirks import QUIRKS, Quirk
from ..sources.rules import RULES, rule_address
from .options import chosen
from .terminal import print_json, say


@click.command("quirks")
@click.argument("ids", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@click.option("--markdown", is_flag=True, hidden=True, help="Print the page docs/quirks.md.")
def command(ids: tuple[str, ...], as_json: bool, markdown: bool) -> None:
    """List where the kubelet departs from its documentation: all, or those of IDS (``*`` stands for any text)."""
    if markdown and (as_json or ids):
        raise click.UsageError("--markdown prints the page as it is: without ids and --json")
    quirks = [QUIRKS[id] for id in chosen(ids, QUIRKS, "quirk")]
    if markdown:
        from ..report.pages.source_pages import quirks_page  # it loads every chapter, which the list does not need

        click.echo(quirks_page(), nl=False)
    elif as_json:
        print_json([_as_json(quirk) for quirk in quirks])
    else:
        for quirk in quirks:
            rules = [f"    rules: {', '.join(map(rule_address, quirk.rules))}"] if quirk.rules else []
            head = f"{quirk.id} (Kubernetes {quirk.versions})"
            say(head, f"    {quirk.summary}", f"    documented: {quirk.documented}", *rules)


def _as_json(quirk: Quirk) -> dict[str, Any]:
    rules = [RULES[id] for id in quirk.rules]
    return {
        **dataclasses.asdict(quirk),
        "versions": str(quirk.versions),
        "rules": [{"id": rule.id, "text": rule.text, "page": rule_address(rule.id)} for rule in rules],
    }
