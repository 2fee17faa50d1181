"""Decisions recorded of every version, asked of the reference at that version."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest

from asked_in_full import deep
from numa_conformance.comparing.recorded import Vector, read_vectors, replay
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire import Client, InProcess
from shared_data import SHARED, needs_shared

SHIPPED = Path(__file__).parents[3] / "conformance" / "exact" / "recorded"
VERSIONS = sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir())
EVERY = 12
"""One of so many shipped decisions is asked in the ordinary run; at level exact the suite asks them all."""


def differing(version: str, vectors: list[Vector]) -> list[str]:
    target = Client(InProcess(lambda: ReferenceTarget("exact", version), "the reference"))
    return [one.vector.id for one in replay(target, vectors) if one.status != "matched"]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_shipped_of_a_version_comes_out_at_that_version(version):
    vectors = list(read_vectors([SHIPPED / version]))
    assert {vector.version for vector in vectors} == {KubernetesVersion.parse(version)}
    assert differing(version, vectors[::EVERY]) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_shipped_of_a_version_is_small(version):
    assert sum(file.stat().st_size for file in (SHIPPED / version).iterdir()) <= 110_000


@deep
def test_what_is_shipped_tells_each_version_from_the_one_before():
    """So a profile that is one version late does not pass."""
    for before, version in pairwise(VERSIONS):
        vectors = list(read_vectors([SHIPPED / version]))
        apart = [vector for vector in vectors if not vector.id.startswith(("qos", "mrg"))]
        if version in ("1.30", "1.35"):  # nothing that the managers decide is new
            continue
        assert differing(before, apart[:: EVERY // 2]), version


@needs_shared
@pytest.mark.parametrize("file", sorted((SHARED / "recorded" / "versions").glob("*.gz")) if SHARED else [], ids=str)
def test_a_part_of_everything_recorded_comes_out(file):
    with gzip.open(file, "rt") as lines:
        version = json.loads(next(lines))["kubernetesVersion"]
    assert differing(version, list(read_vectors([file]))[:: 5 * EVERY]) == []
