"""As which minor a target decides: released minors, and a fork that mended a quirk of its minor."""

import json

import pytest

from asked_in_full import deep
from numa_conformance.documentation.versions import SUPPORTED
from numa_conformance.report.decides_as import TRAITS
from numa_conformance.report.probes import probes

FORK = """
from numa_conformance.documentation.quirks import Quirks
from numa_conformance.documentation.versions import KubernetesVersion
from numa_conformance.protocol import ReferenceTarget
def make():
    version = KubernetesVersion(1, 34)
    return ReferenceTarget("exact", version, quirks=Quirks.of(version).without("full-by-machine-average"))
"""


@deep
@pytest.mark.parametrize("version", SUPPORTED)
def test_a_released_minor_is_found_among_those_that_decide_alike(run, version):
    code, out, _ = run("which-kubelet", f"reference:exact@{version}", "--json")
    told = json.loads(out)
    assert code == 0
    assert str(version) in [fit["version"] for fit in told["decidesAs"]]
    assert [fit for fit in told["decidesAs"] if fit["turned"] or fit["unexplained"]] == []


@deep
def test_a_quirk_that_a_fork_mended_is_named_beside_its_minor(run, files, monkeypatch, tmp_path):
    files("fork_of_134.py", FORK)
    monkeypatch.syspath_prepend(tmp_path)
    code, out, _ = run("which-kubelet", "target:fork_of_134:make", "--json")
    told = json.loads(out)
    by_version = {fit["version"]: fit for fit in told["decidesAs"]}
    assert code == 1
    assert [trait["id"] for trait in by_version["1.34"]["turned"]] == ["full-by-machine-average"]
    assert by_version["1.34"]["unexplained"] == []
    code, out, _ = run("which-kubelet", "target:fork_of_134:make")
    assert "quirk full-by-machine-average is mended" in out


ONE_SURFACE = """
import msgspec
from numa_conformance.protocol import ReferenceTarget
class Chooses(ReferenceTarget):
    def describe(self, request):
        told = super().describe(request)
        return msgspec.structs.replace(told, surfaces=["merge"], features=[n for n in told.features if "topology" in n])
def make():
    return Chooses("exact", "1.30")
"""


def test_minors_that_no_answer_tells_apart_are_told_together(run, files, monkeypatch, tmp_path):
    files("chooses.py", ONE_SURFACE)
    monkeypatch.syspath_prepend(tmp_path)
    code, out, _ = run("which-kubelet", "target:chooses:make")
    assert code == 0
    assert "which no answer tells apart" in out
    assert "need what it does not claim" in out


def test_most_quirks_and_changes_are_shown_by_some_probe():
    """What is told only in words, of versions that are not supported, or by a crash of a restart has none."""
    shown = {name for probe in probes() for name in probe.traits}
    assert len({*TRAITS} - shown) <= 13
