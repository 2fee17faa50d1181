"""The page of the compact form has every key, and what its tables say of numberings is so."""

import re
from pathlib import Path

import msgspec
import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import forms, machine_from_dict

PAGE = (Path(__file__).parents[2] / "docs" / "machine-by-hand.md").read_text()
FORMS = ("CompactForm", "GroupForm", "MemoryOnlyForm", "DistancesForm", "CompactDeviceForm", "RunsForm")
NUMBERINGS = ("siblings-offset", "siblings-adjacent", "siblings-offset-in-socket", "sockets-alternate")


@pytest.mark.parametrize("form", FORMS)
def test_every_key_stands_on_the_page(form):
    in_code = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
    keys = [field.encode_name for field in msgspec.structs.fields(getattr(forms, form))]
    assert [key for key in keys if key not in in_code] == []


@pytest.mark.parametrize("numbering", NUMBERINGS)
def test_the_table_of_numberings_is_right(numbering):
    machine = machine_from_dict({"name": "m", "sockets": 2, "coresPerNuma": 2, "threads": 2, "numbering": numbering})
    (row,) = re.findall(rf"^\| `{numbering}` \| (.*) \|$", PAGE, re.M)
    cores = [
        [",".join(map(str, CpuSet.from_bits(core))) for core in machine.core_bits if core & socket]
        for socket in machine.socket_bits.values()
    ]
    assert row == "; ".join(" and ".join(of_socket) for of_socket in cores)
