"""Ids of requirements are written out where they are declared: a search for one finds it."""

from pathlib import Path

from numa_conformance.suite import requirements
from numa_conformance.suite.chapters import REQUIREMENTS


def test_an_id_is_written_out_once():
    texts = [path.read_text() for path in Path(requirements.__file__).parent.glob("*.py")]
    counted = {id: sum(text.count(f'"{id}"') for text in texts) for id in REQUIREMENTS}
    assert len(counted) > 250
    assert {id: count for id, count in counted.items() if not count} == {}
