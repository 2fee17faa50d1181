"""What a release says of itself stands in several files, and says the same in each."""

import re
from pathlib import Path

import yaml

from numa_conformance import __version__
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.releases import NEXT, RELEASES
from numa_conformance.sources.versions import NEWEST, OLDEST

ROOT = Path(__file__).parents[1]
SUPPORT = (ROOT / "docs" / "support.md").read_text()


def test_the_citation_and_the_changelog_tell_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert citation["version"] == __version__
    assert f"{__version__} - {citation['date-released']}" in headings


def test_the_changelog_is_for_users_and_the_registry_lists_requirements():
    assert len((ROOT / "CHANGELOG.md").read_bytes()) <= 8192
    listed = [id for release in RELEASES.values() for id in release.new]
    assert len(set(listed)) == len(listed)
    assert {*listed, *(id for release in RELEASES.values() for id in release.tightened)} <= REQUIREMENTS.keys()


def test_the_next_release_is_newer_than_this_one():
    """Where this fails: ``cd tests && python -m measured releases``, then an entry for the next release."""
    assert _numbers(NEXT) > _numbers(__version__)[:2]
    assert [*RELEASES] == sorted(RELEASES, key=_numbers)


def test_a_requirement_that_no_release_lists_is_new_in_the_next_one():
    listed = {id for release in RELEASES.values() for id in (*release.new, *release.tightened)}
    assert {each.introduced for id, each in REQUIREMENTS.items() if id not in listed} <= {NEXT}
    for version, release in RELEASES.items():
        assert {REQUIREMENTS[id].introduced for id in release.tightened} <= {version}


def _numbers(version):
    return [int(number) for number in version.split(".")]


def test_the_tag_is_held_against_the_version_before_anything_is_built():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    steps = workflow["jobs"]["build"]["steps"]
    first, checks = next((at, step["run"]) for at, step in enumerate(steps) if "run" in step)
    assert '"v$version"' in checks
    assert first < min(at for at, step in enumerate(steps) if "build" in step.get("run", ""))
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["jobs"]["publish"]["permissions"] == {"id-token": "write"}


def test_the_page_of_what_is_supported_names_what_is_tested():
    assert f"minors {OLDEST} to {NEWEST}" in SUPPORT
    tested = [int(minor) for minor in re.findall(r"py3(\d\d)", re.search(r"env_list = (.*)", _tox())[1])]
    assert f"3.{min(tested)} to 3.{max(tested)}" in SUPPORT
    classified = re.findall(r'"Programming Language :: Python :: 3\.(\d+)"', (ROOT / "pyproject.toml").read_text())
    assert sorted(map(int, classified)) == tested


def _tox():
    return (ROOT / "tox.ini").read_text()
