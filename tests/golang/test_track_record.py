"""The track record: its page, and its questions asked of the reference. Released code is not built here."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from numa_conformance.cli import main
from numa_conformance.comparing.two_targets import TwoTargets
from numa_conformance.report.causes import answers_of
from numa_conformance.report.reference_answers import open_reference
from numa_conformance.sources.changes import CHANGES, Changes
from numa_conformance.sources.quirks import QUIRKS, Quirks
from numa_conformance.sources.versions import SUPPORTED, KubernetesVersion
from numa_conformance.wire.history.history import read_histories

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "go" / "track_record"
HISTORIES = sorted((FOLDER / "histories").iterdir())


sys.path.insert(0, str(FOLDER))
RECORD = import_module("bugs")
sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def bugs():
    return {bug.id: bug for bug in RECORD.bugs()}


def test_the_page_is_up_to_date():
    command = "import track_record, sys; sys.stdout.write(track_record.page())"
    made = subprocess.run([sys.executable, "-c", command], cwd=FOLDER, capture_output=True, text=True, check=True)
    assert made.stdout == (ROOT / "docs" / "track-record.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_the_questions_show_the_bug_in_the_version_that_has_it_and_in_the_first_without_not(bugs, path):
    bug = bugs[path.stem]
    (history,) = read_histories(path.read_text(encoding="utf-8").splitlines())
    lacking = bug.mended_in or bug.shown_on
    quirks = Quirks.of(lacking) if bug.mended_in else Quirks.of(lacking).without(bug.id)
    with (
        open_reference("exact", bug.shown_on) as one,
        open_reference("exact", lacking, quirks, Changes.of(lacking)) as other,
    ):
        found = TwoTargets(one, other).differing(answers_of(history, one), answers_of(history, other))
    assert found is not None
    assert found.step == len(history.steps) - 1


@pytest.mark.parametrize("life", RECORD.LIVES, ids=lambda life: life.id)
def test_a_life_shows_the_bug_in_the_version_that_has_it_and_in_the_other_not(life):
    """Of a bug of every version none is without it, the documented one neither."""
    machine, config, path = (FOLDER / "lives" / f"{name}.yaml" for name in ("machine", "kubelet", life.id))
    node = ["simulate", "--machine", str(machine), "--config", str(config), str(path)]

    def code(version):
        with pytest.raises(SystemExit) as ended:
            main([*node, "--kubernetes-version", str(version)])
        return ended.value.code

    if life.without:
        assert [code(version) for version in (life.shown_on, life.without)] == [1, 0]
    else:
        assert {code(version) for version in SUPPORTED} == {1}
    if life.quirk:
        assert life.quirk in Quirks.of(KubernetesVersion.parse(life.shown_on)).showing()
        assert life.quirk not in Quirks.of(KubernetesVersion.parse(life.without)).showing()


def test_each_life_has_its_row():
    others = {"machine", "less-memory", "kubelet"}
    assert {path.stem for path in (FOLDER / "lives").iterdir()} - others == {life.id for life in RECORD.LIVES}


def test_every_mended_quirk_has_its_pull_request():
    mended = [quirk for quirk in QUIRKS.values() if quirk.versions.until]
    assert [quirk.id for quirk in mended if not quirk.pull] == []
    assert all(pull.startswith("kubernetes/kubernetes#") for quirk in mended for pull in quirk.pull)


def test_what_was_repeated_is_of_bugs_that_are_known_and_that_there_are_questions_for(bugs):
    kept = json.loads((FOLDER / "repeated.json").read_text(encoding="utf-8"))
    of_kubernetes = {row for row in kept if "shown_on" in kept[row]}
    assert len(of_kubernetes) >= 12
    assert of_kubernetes <= set(bugs) & {path.stem for path in HISTORIES}
    assert set(bugs) <= {*QUIRKS, *CHANGES}


def test_a_row_that_is_none_is_refused():
    command = [sys.executable, FOLDER / "track_record.py", "groups-may-crass"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "there is no row groups-may-crass; accepted: " in done.stderr
