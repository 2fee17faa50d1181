"""The page's Python, and the questions that the documentation asks on a command line."""

import base64
import contextlib
import importlib.util
import io
import json
import os
import shlex
import zlib
from collections.abc import Iterator
from pathlib import Path

from numa_conformance.cli import main
from report.pages.not_run import why_not
from report.pages.page import PAGES, ROOT, File, parts
from report.pages.running import LENT

PLAYGROUND = ROOT / "playground"
_spec = importlib.util.spec_from_file_location("ask", PLAYGROUND / "ask.py")
assert _spec is not None
assert _spec.loader is not None
ask = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(ask)

FORMS = {"--svg", "--json", "--html", "--explain"}
"""Options that say how an answer is printed; the page has them all."""


def run(*arguments: str) -> str:
    """Return what a command prints."""
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        main(list(arguments))
    return printed.getvalue()


def question_of(address: str) -> dict[str, str]:
    """Return the question that an address holds."""
    packed = address.strip().partition("#1.")[2]
    return json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS))


def asked_on_pages(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the questions of the documentation, as a page and arguments, in a folder that has the page's files."""
    here = Path.cwd()
    for page in PAGES:
        inside = folder / page.relative_to(ROOT).with_suffix("")
        inside.mkdir(parents=True)
        for name in LENT:
            (inside / name).symlink_to(ROOT / name)
        os.chdir(inside)
        try:
            for part in parts(page.read_text()):
                if isinstance(part, File):
                    Path(part.name).parent.mkdir(parents=True, exist_ok=True)
                    Path(part.name).write_text(part.text)
                elif (arguments := _arguments(part.typed)) and why_not(part.typed) is None:
                    yield page.name, arguments
        finally:
            os.chdir(here)


def _arguments(typed: str) -> list[str]:
    """Return the arguments of a question about pods in files, none for any other command."""
    words = shlex.split(typed.partition(" > ")[0], comments=True)
    if words[:2] != ["numa-conformance", "simulate"] or {"--from-node", "-", "|", "--help"} & set(words):
        return []
    return [word for word in words[1:] if word not in FORMS]
