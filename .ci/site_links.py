"""A hook of MkDocs: what a page links to outside docs/ is found in the repository."""

import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"\]\((\.\./[^)#]+)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Return ``markdown`` with links out of the folder of the pages leading to the repository."""
    docs = Path(config.docs_dir)
    here = (docs / page.file.src_uri).parent

    def outside(link: re.Match[str]) -> str:
        path = (here / link[1]).resolve()
        if path.is_relative_to(docs):
            return link[0]
        return f"]({config.extra['repository']}/blob/main/{path.relative_to(docs.parent)}"

    return LINK.sub(outside, markdown)
