"""``numa-conformance requirements``: what the suite tests, and what of Kubernetes' documentation it rests on."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from ..chapters import REQUIREMENTS, Requirement
from ..files import write_text
from ..report.pages.api_page import api_page, protocol_page, requirement_changes_page, requirements_page
from ..report.pages.chapter_pages import chapter_pages
from ..report.pages.source_pages import FOLDER, rules_page, statements_page
from ..report.pages.versions_pages import kubernetes_versions_page, versions_page
from .options import DIRECTORY, chosen
from .terminal import print_json, say

_PAGES: dict[str, tuple[str, Callable[[], str]]] = {
    "markdown": ("requirements", requirements_page),
    "changes": ("requirement-changes", requirement_changes_page),
    "statements": ("statements", statements_page),
    "rules": ("rules", rules_page),
    "versions": ("versions", versions_page),
    "kubernetes-versions": ("kubernetes-versions", kubernetes_versions_page),
    "protocol": ("protocol", protocol_page),
    "api": ("api", api_page),
}
"""By option the page that it prints, and what makes it."""


def _page_options(command: Any) -> Any:
    for option, (page, _) in reversed(_PAGES.items()):
        text = f"Print the page docs/{page}.md."
        command = click.option(f"--{option}", "page", flag_value=option, help=text, hidden=True)(command)
    return command


@click.command("requirements")
@click.argument("ids", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the registry as JSON.")
@click.option(
    "--pages",
    "folder",
    metavar="FOLDER",
    type=DIRECTORY,
    hidden=True,
    help="Write the page of each chapter into the folder requirements below FOLDER.",
)
@_page_options
def command(ids: tuple[str, ...], as_json: bool, page: str | None, folder: Path | None) -> None:
    """List the requirements: id, what is asked, source with its address, versions, features.

    All of them, or those of IDS (``*`` stands for any text), with the sentences that these rest on.
    """
    if sum(map(bool, (page, folder, as_json or ids))) > 1:
        raise click.UsageError("pages are made as they are, one command each: without ids and --json")
    if folder is not None:
        pages = chapter_pages()
        for name, text in pages.items():
            write_text(folder / FOLDER / f"{name}.md", text, sync=False)
        click.echo(f"wrote {len(pages)} pages to {folder / FOLDER}")
        return
    selected = [REQUIREMENTS[id] for id in chosen(ids, REQUIREMENTS, "requirement")]
    if page is not None:
        click.echo(_PAGES[page][1](), nl=False)
    elif as_json:
        print_json([_as_json(requirement) for requirement in selected])
    else:
        for requirement in selected:
            say(*_lines(requirement, in_full=bool(ids)))


def _lines(requirement: Requirement, *, in_full: bool) -> Iterator[str]:
    yield f"{requirement.id} ({requirement.strength})"
    yield f"    {requirement.text}"
    tested = f"asked by {requirement.command}" if requirement.command else ", ".join(requirement.features)
    yield f"    {requirement.source}; since {requirement.since}; {tested}"
    yield f"    {requirement.address}"
    for statement in requirement.rests_on if in_full else ():
        yield f"    rests on {statement.id} ({statement.strength}): {statement.text}"
        yield f"        {statement.address}"


def _as_json(requirement: Requirement) -> dict[str, Any]:
    return {
        **_fields(requirement, "id", "text"),
        "page": requirement.section.page.title,
        "section": requirement.section.title,
        "address": requirement.address,
        "statements": [_fields(each, "id", "text", "strength", "address") for each in requirement.rests_on],
        **_fields(requirement, "beyond", "since", "until", "strength", "level", "area"),
        "features": list(requirement.features),
        **_fields(requirement, "command", "introduced"),
    }


def _fields(described: object, *names: str) -> dict[str, Any]:
    return {name: getattr(described, name) for name in names}
