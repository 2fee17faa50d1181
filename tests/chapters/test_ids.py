from __future__ import annotations

import re
from pathlib import Path

from numa_conformance import chapters
from numa_conformance.chapters import REQUIREMENTS

ID = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)+$")
BOOK = Path(chapters.__path__[0])


def test_ids_are_written_alike():
    assert [id for id in REQUIREMENTS if not ID.match(id)] == []


def test_one_search_finds_each_id_in_one_chapter():
    texts = [path.read_text(encoding="utf-8") for path in BOOK.rglob("*.py")]
    beside = [path.read_text(encoding="utf-8") for path in BOOK.rglob("*.txt")]  # sentences without a judge stand there
    places = {
        id: sum(f'"{id}"' in text for text in texts) or sum(f"# {id}\n" in text for text in beside)
        for id in REQUIREMENTS
    }
    by_constant = {
        "protocol/answers-every-question",
        "protocol/answers-are-well-formed",
    }  # judging/verdicts.py names them
    assert {id: number for id, number in places.items() if number != 1} == dict.fromkeys(by_constant, 0)
