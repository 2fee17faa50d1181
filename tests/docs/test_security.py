"""SECURITY.md tells the bounds that hold."""

import re
from pathlib import Path

import pytest

pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from numa_conformance import cpuset, documents, files, yaml_loader
from numa_conformance.cli import judge
from numa_conformance.comparing.recorded import vectors
from numa_conformance.doctor import state_files, tree
from numa_conformance.kube import descriptions, kubelet_flags, manifests
from numa_conformance.lab.dra import api_server
from numa_conformance.machine import forms
from numa_conformance.machine.hostfs import dumps, host_files
from numa_conformance.machine.texts import readers
from numa_conformance.report import reading
from numa_conformance.wire import stdio

TEXT = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
BOUNDS = {
    "JSON": (documents.MAX_JSON_BYTES, documents.MAX_NODES),
    "YAML": (documents.MAX_YAML_BYTES, documents.MAX_YAML_NODES),
    "levels within each other": (documents.MAX_DEPTH,),
    "a machine": (forms.MAX_CPUS, forms.MAX_NODES, forms.MAX_DEVICES),
    "an id of a CPU in a list": (cpuset.MAX_ID,),
    "a text of a machine (`lscpu`, `lstopo` ...), a description or a log": (readers.MAX_BYTES,),
    "a kubelet's command line": (kubelet_flags.MAX_BYTES,),
    "a state file": (tree.MAX_STATE, state_files.MOST_CONTAINERS),
    "an archive of a host": (dumps.MAX_MEMBERS, dumps.MAX_TOTAL),
    "a file of a host": (host_files.MAX_BYTES,),
    "histories for `judge`": (judge.LARGEST,),
    "recorded decisions for `replay`": (vectors.MAX_FILE, vectors.MAX_DECISIONS),
    "a report": (reading.MAX_BYTES,),
    "a line of a target": (stdio.MAX_LINE,),
    "what a DRA driver writes at once": (api_server.MOST_BYTES,),
    "the end of a log of a daemon or a kubelet": (files.MAX_LOG,),
    "a whole number in YAML, in any base": (yaml_loader.MAX_BITS,),
    "replicas of a workload": (manifests.MAX_REPLICAS,),
}


def table() -> dict[str, tuple[int, ...]]:
    bounded = TEXT.split("## What is bounded")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.*\d.*) \|$", bounded, flags=re.MULTILINE)
    return {name: tuple(int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", told)) for name, told in rows}


def test_it_names_every_bound():
    assert table().keys() == BOUNDS.keys()
    assert descriptions.MAX_BYTES == readers.MAX_BYTES


@pytest.mark.parametrize("name", BOUNDS)
def test_a_bound_is_as_it_says(name):
    assert table()[name] == BOUNDS[name]


def test_it_says_how_to_report():
    assert "Report a vulnerability" in TEXT
