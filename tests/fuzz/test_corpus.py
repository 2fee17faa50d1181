"""Each reader takes its corpus, and what chance makes of it, and raises nothing but what it says."""

import random

import pytest

from asked_in_full import DEEP
from fuzz.corpus import CORPUS, inputs
from fuzz.readers import READERS

ODD = (b"-1", b"9" * 20, b"null", b"[]", b"{}", b'""', b"\x00", b"\xff", b"1e9")
MANY = 4000 if DEEP else 40


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes with a part cut out, doubled, or replaced by others."""
    at, upto = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    kind = chance.randrange(4)
    if kind == 0:
        return data[:at] + data[upto:]
    if kind == 1:
        return data[:upto] + data[at:]
    if kind == 2:
        return data[:at] + bytes(chance.randrange(256) for _ in range(chance.randrange(1, 5))) + data[at:]
    return data[:at] + chance.choice(ODD) + data[upto:]


def test_every_reader_has_a_corpus():
    assert sorted(path.name for path in CORPUS.iterdir()) == sorted(READERS)
    assert [name for name in READERS if len(inputs(name)) < 3] == []


@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_its_corpus_and_what_chance_makes_of_it(name):
    chance = random.Random(name)
    assert [path for path in inputs(name) if READERS[name](path.read_bytes())], (
        "all is refused: nothing behind is reached"
    )
    kept = [path.read_bytes() for path in inputs(name)]
    for _ in range(MANY):
        data = chance.choice(kept)
        for _ in range(chance.randrange(1, 4)):
            data = spoilt(data, chance)
        READERS[name](data)
