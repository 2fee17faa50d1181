"""Hooks of MkDocs: links out of docs/ lead to the repository; the search ranks pages."""

import re
from pathlib import Path, PurePosixPath
from typing import Any

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

    return LINK.sub(outside, markdown)
