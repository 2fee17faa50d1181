"""Pages and messages use the words that readers of Kubernetes expect: one word for one thing."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src/numa_conformance"
BETTER = {
    r"conversations?": "history",
    r"(?<!example )scenarios?": "history, or case",
    r"walks?(?! through)": "history, or random history",
    r"(?:the )?li(?:fe|ves) of (?:a|the) node|lives": "history, or steps",
    r"(?:is|are|was|were) not there": "is missing, does not exist, simulated",
    r"that (?:is|are) not there": "simulated",
    r"told(?! (?:not )?to| apart)": "reported, said",
    r"tells?(?! apart)(?!\b.{1,40}\bapart)": "says, reports, shows",
    r"stands? (?:in|on|at|below|above|beside|between|behind|there|here|before|after|where)": "is",
    r"hangs? on": "depends on",
    r"shows on": "fails on",
    r"be (?:it|they)": "whether",
    r"of ours": "fake, sample",
    r"stand-ins?": "fake",
    r"mend(?:s|ed|ing)?": "fix",
    r"anew": "again",
    r"fares?": "is placed, comes out",
}
"""What a reader stumbles over, and what is understood in its place. Ids and names in code stay."""
ANY = re.compile(rf"(?<![\w/-])(?:{'|'.join(BETTER)})(?![\w/-]|\.\w)", re.IGNORECASE)
RECORDS = ("journal.md", "decisions")
"""Written once, and not written again."""


def prose(text: str) -> str:
    """Return Markdown without code, addresses and anchors."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`|\]\([^)\n]*\)|<[^>\n]*>|\{[{%].*?[%}]\}", "", text)


def messages(path: Path) -> Iterator[str]:
    """Yield the texts of a module that a user may read: of docstrings those of commands and requirements."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    silent = {node.value for node in nodes if isinstance(node, ast.Expr)}
    if path.parent.name == "cli" or "chapters" in path.parts:
        decorated = (node for node in nodes if isinstance(node, ast.FunctionDef) and node.decorator_list)
        silent -= {getattr(node.body[0], "value", None) for node in decorated}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value and node not in silent:
            yield prose(node.value)


def texts() -> Iterator[tuple[Path, str]]:
    """Yield what a reader meets, with the file that has it: pages, and messages of modules."""
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *SRC.rglob("*.txt"), *SRC.rglob("*.html")):
        if not set(RECORDS) & set(path.parts):
            yield path, prose(path.read_text(encoding="utf-8"))
    for path in SRC.rglob("*.py"):
        if path.name != "walks.py":  # its names are seeds
            yield from ((path, text) for text in messages(path))


def wrong(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line with a word that a reader stumbles over, and what is to be written in its place."""
    for found in ANY.finditer(text):
        begin, end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
        line = text[begin:] if end < 0 else text[begin:end]
        known = (better for word, better in BETTER.items() if re.fullmatch(word, found[0], re.IGNORECASE))
        yield line.strip(), next(known, "another word")


def test_a_reader_meets_the_word_that_is_expected():
    found = {
        f"{path.relative_to(ROOT)}: {line}: write {better}" for path, text in texts() for line, better in wrong(text)
    }
    assert sorted(found) == []
