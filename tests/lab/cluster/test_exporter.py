"""The example's exporter on real nodes: it is right, and with its fault it is found."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("kubernetes", reason="the extra [lab] is not installed")

import yaml

from clusters import FOLDER, check, needs_cluster
from kubelets import needs_namespaces
from numa_conformance.plugin.numa_cluster import bring_up

pytestmark = [needs_namespaces, needs_cluster]
EXAMPLE = Path(__file__).parents[3] / "examples" / "topology_exporter"


def checked(tmp_path, within, *flags):
    """What check-exporter tells of the example's nodes, which run its exporter with these flags."""
    nodes = yaml.safe_load((EXAMPLE / "nodes.yaml").read_text())
    for node in nodes:
        node["daemons"] = [[sys.executable, str(EXAMPLE / "exporter.py"), *flags]]
    file = tmp_path / "nodes.yaml"
    file.write_text(json.dumps(nodes))
    with bring_up(file, ["--binaries", FOLDER, "--manifest", str(EXAMPLE / "crd.yaml")]) as cluster:
        code, report = check(cluster, "check-exporter", "--steps", "3", "--within", within)
        return code, report["looks"]


def test_it_is_right_after_every_step(tmp_path):
    code, looks = checked(tmp_path, "20")
    assert (code, [look["unmet"] for look in looks]) == (0, [[]] * 8)


def test_reserved_cpus_that_it_gives_away_are_found(tmp_path):
    code, looks = checked(tmp_path, "2", "--forgets-reserved")
    found = {one["requirement"] for look in looks for one in look["unmet"]}
    assert code == 1
    assert {"exporter/allocatable/is-what-pods-can-have", "exporter/available/is-what-is-left"} <= found
