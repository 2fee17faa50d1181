"""As which minor a target decides: released minors, and a fork that mended a quirk of its minor."""

import json
from pathlib import Path

import pytest

from asked_in_full import deep
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.report.minor_fit import TRAITS, UNSEEN, ProbeAnswers, fair_probes, fits, probes
from numa_conformance.sources.policies import TOPOLOGY_POLICIES
from numa_conformance.sources.quirks import QUIRKS, Quirks
from numa_conformance.sources.versions import SUPPORTED
from numa_conformance.wire import Client, InProcess

SCOPE = "topology-manager/scope/container"
FORK = """
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.reference.target import ReferenceTarget
def make():
    version = KubernetesVersion(1, 34)
    return ReferenceTarget("exact", version, quirks=Quirks.of(version).without("full-by-machine-average"))
"""


def versions_of(name):
    """Return the supported versions that have a quirk."""
    return [version for version in SUPPORTED if version in QUIRKS[name].versions]


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
    assert "quirk full-by-machine-average is fixed" in out


ONE_SURFACE = """
import msgspec
from numa_conformance.reference.target import ReferenceTarget
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


def test_every_quirk_and_change_is_shown_by_some_probe_or_it_is_said_why_none_can():
    shown = {name for probe in probes() for name in probe.traits}
    assert {*TRAITS} - shown == {*UNSEEN}
    page = (Path(__file__).parents[2] / "docs/compare-two.md").read_text()
    assert [name for name, why in UNSEEN.items() if f"| `{name}` | {why} |" not in page] == []


@pytest.mark.parametrize(
    ("surface", "claimed"),
    [
        ("pick", set()),
        ("hints", {"cpu-manager/static", "cpu-manager/hints", "topology-manager/best-effort", SCOPE}),
        ("merge", {f"topology-manager/{policy}" for policy in TOPOLOGY_POLICIES}),
    ],
)
def test_those_who_claim_little_are_asked_too(surface, claimed):
    assert sum(probe.surface == surface and probe.needs <= claimed for probe in probes()) >= 20


@deep
@pytest.mark.parametrize("name", [name for name in QUIRKS if name not in UNSEEN and versions_of(name)])
def test_a_mended_quirk_is_told_as_such(name):
    """The reference of a version that has it, with the quirk mended, decides as that version but for it."""
    assert any(_turned(version, name) == (name,) for version in reversed(versions_of(name)))


def _turned(version, mended):
    """Return what is told to be the other way in a kubelet of a version that mended a quirk, and in nothing else."""
    fork = ReferenceTarget("exact", version, quirks=Quirks.of(version).without(mended))
    answers = ProbeAnswers(Client(InProcess(lambda: fork, "fork")), messages=True)
    for _ in answers.ask(list(fair_probes(answers.client))):
        pass
    (fit,) = fits(answers, [version])
    return None if fit.unexplained else fit.turned
