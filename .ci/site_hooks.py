"""Hooks of MkDocs: links out of docs/ lead to the repository; the search ranks pages; the playground is built."""

import functools
import importlib.util
import logging
import re
import subprocess
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PLAYGROUND = "playground/README.md"
"""What pages link to: in the repository how the page is built, on the site the page itself."""
SAYS = logging.getLogger("mkdocs.hooks.playground")
LINK = re.compile(r"\]\((\.\./[^)#]+)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Return ``markdown`` with links out of the folder of the pages leading to the repository."""
    docs = Path(config.docs_dir)
    path = PurePosixPath(page.file.src_uri)
    for boost, pages in config.extra["boost"].items():
        if path.with_suffix("").parts[0] in pages:
            page.meta["search"] = {"boost": boost}
    if path.name == "index.md":
        page.meta["hide"] = ["navigation", "toc"]
    here = (docs / path).parent

    def outside(link: re.Match[str]) -> str:
        path = (here / link[1]).resolve()
        if path.is_relative_to(docs):
            return link[0]
        return f"]({config.extra['repository']}/blob/main/{path.relative_to(docs.parent)}"

    if path.name == "quirks.md" and not _why_no_playground():
        markdown = _with_questions(markdown)
    return LINK.sub(outside, markdown)


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Return a page whose links to the playground lead to it, where it is built."""
    if _why_no_playground():
        return output
    return output.replace(f"{config.extra['repository']}/blob/main/{PLAYGROUND}", f"{_up(page)}playground/index.html")


def on_post_build(*, config: Any) -> None:
    """Build the playground below the site, or say why not."""
    if reason := _why_no_playground():
        SAYS.info("without the playground: %s", reason)
    else:
        _module(ROOT / "playground" / "build.py").build(Path(config.site_dir) / "playground")


def _up(page: Any) -> str:
    return "../" * page.url.count("/")


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def _why_no_playground() -> str | None:
    """Return why the playground cannot be built here, None where it can: its packages are here then."""
    build = _module(ROOT / "playground" / "build.py")
    try:
        return build.why_not() or build.take_packages()
    except subprocess.CalledProcessError as error:
        return f"its packages cannot be had: {error}"


def _with_questions(markdown: str) -> str:
    """Return the page of quirks with a link to the question of each quirk that has one."""
    link = _module(ROOT / "src/numa_conformance/reference/simulation/link.py").link
    for path in sorted((ROOT / "playground" / "quirks").glob("*.yaml")):
        address = link("playground/index.html", yaml.safe_load(path.read_text(encoding="utf-8")))
        heading = f"## `{path.stem}`\n"
        markdown = markdown.replace(heading, f'{heading}\n<a href="{address}">Try it</a>\n')
    return markdown
