"""The Memory Manager's state file, compared: the order of a container's blocks is chance, and nothing else is."""

import json

import pytest

from numa_conformance.comparing.recorded.differences import comparable_memory_file

MEMORY = {"numaAffinity": [0], "type": "memory", "size": 64}
PAGES = {"numaAffinity": [0], "type": "hugepages-2Mi", "size": 32}


def written(*blocks, checksum=1, enveloped=False):
    entries = {"entries": {"a": {"c": list(blocks)}}}
    told = {"data": json.dumps(entries, separators=(",", ":")), "dataChecksum": checksum} if enveloped else {}
    return json.dumps({**entries, "checksum": checksum, **told}, separators=(",", ":"))


@pytest.mark.parametrize("enveloped", [False, True])
def test_the_order_of_blocks_is_none_and_checksums_follow_it(enveloped: bool):
    one = written(MEMORY, PAGES, checksum=1, enveloped=enveloped)
    other = written(PAGES, MEMORY, checksum=2, enveloped=enveloped)
    assert comparable_memory_file(one) == comparable_memory_file(other)


@pytest.mark.parametrize("enveloped", [False, True])
def test_another_block_is_told(enveloped: bool):
    larger = written(PAGES, {**MEMORY, "size": 65}, enveloped=enveloped)
    assert comparable_memory_file(written(MEMORY, PAGES, enveloped=enveloped)) != comparable_memory_file(larger)


def test_every_byte_counts_where_no_container_has_several():
    text = written(MEMORY, checksum=2)
    assert comparable_memory_file(text) == text
