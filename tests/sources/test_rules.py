import re
from pathlib import Path

import pytest

from numa_conformance.sources.quirks import QUIRKS
from numa_conformance.sources.rules import CHAPTERS, RULES, anchor_of
from numa_conformance.sources.rules.rule import read_chapters

ROOT = Path(__file__).parents[2]
CITED = re.compile(r"\b(?:CPU|MEM|DEV|TOPO|ADM|SCH)-[A-Z]+-[0-9]+\b")


def test_every_rule_that_is_cited_exists():
    texts = [
        path
        for folder in ("src", "conformance", "tests", "docs", "examples")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md"} and path.name != Path(__file__).name
    ]
    cited = {(id, path.name) for path in texts for id in CITED.findall(path.read_text())}
    assert len(cited) > 400
    assert {(id, name) for id, name in cited if id not in RULES} == set()


def test_a_quirk_names_rules_that_exist():
    assert sum(bool(quirk.rules) for quirk in QUIRKS.values()) > 50
    assert {quirk.id for quirk in QUIRKS.values() if not RULES.keys() >= set(quirk.rules)} == set()


def test_no_rule_is_given_twice():
    assert sum(len(chapter.rules) for chapters in CHAPTERS.values() for chapter in chapters) == len(RULES) > 400


def test_a_rule_is_read_with_its_origin_and_its_further_lines():
    (chapter,) = read_chapters("# Cores\nCPU-TOPO-04 [doc+impl] The id\n  of a core.\nCPU-TOPO-05 [doc] No. # 2\n")
    assert chapter.title == "Cores"
    assert [(rule.text, rule.documented, rule.implemented) for rule in chapter.rules] == [
        ("The id of a core.", True, True),
        ("No. # 2", True, False),
    ]


def test_what_is_no_rule_is_not_read():
    with pytest.raises(ValueError, match="not a rule: 'CPU-TOPO-4"):
        list(read_chapters("# Cores\nCPU-TOPO-4 [doc] text"))


def test_the_page_has_an_anchor_for_every_rule():
    page = (ROOT / "docs" / "rules.md").read_text()
    assert [id for id in RULES if f'<a id="{anchor_of(id)}"></a>**{id}**' not in page] == []


def test_no_text_refers_to_a_page_that_is_not_shipped():
    referring = re.compile(r"FORMAT\.md|behaviour/|\bsections? [0-9]|(?:cpu|memory|device|topology)-manager\.md")
    texts = [path for folder in ("src", "conformance", "docs") for path in (ROOT / folder).rglob("*.[pm][yd]")]
    assert len(texts) > 200
    assert [path.name for path in texts if referring.search(path.read_text())] == []
