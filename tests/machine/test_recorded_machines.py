import gzip
import json

import pytest

from numa_conformance.machine import machine_from_dict, machine_to_dict
from shared_data import SHARED, needs_shared


@needs_shared
@pytest.mark.parametrize("kind", ["admission", "cpu-static", "lifecycle"])
def test_every_recorded_machine_survives_reading_and_writing(kind):
    assert SHARED is not None
    read = 0
    with gzip.open(SHARED / "recorded" / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            machine = machine_from_dict({**json.loads(line)["machine"], "uncoreSource": "reported"})
            assert machine_from_dict(machine_to_dict(machine)) == machine
            read += 1
    assert read
