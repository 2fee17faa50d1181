"""What is told of requirements that the kubelet does not meet, and that a cheap part of it is measured again."""

import pytest

import departing
from asked_in_full import deep
from numa_conformance.asking.asking import MOST_FAULTS
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.departures import DEPARTURES, TOGETHER
from numa_conformance.judging.verdicts import ANSWERED
from numa_conformance.report.reading import read_report
from numa_conformance.sources.quirks import QUIRKS, Quirks
from numa_conformance.sources.versions import NEWEST, SUPPORTED, KubernetesVersion

LAST = "resize/what-can-never-be-is-infeasible"
KEPT = "cpu-manager/static/keeps-cpus-when-admitted-again"


def test_departures_name_requirements_of_the_documentation_and_quirks_of_the_version():
    for requirement, by_version in DEPARTURES.items():
        assert REQUIREMENTS[requirement].level == "documented"
        for version, causes in by_version.items():
            assert REQUIREMENTS[requirement].holds_in(version)
            assert all(version in QUIRKS[quirk].versions for cause in causes for quirk in cause.split(TOGETHER))


def test_every_demand_that_is_not_met_has_a_quirk_for_its_reason():
    without = {name for name, by_version in DEPARTURES.items() if () in by_version.values()}
    assert {REQUIREMENTS[name].strength for name in without} <= {"SHOULD"}


def test_a_requirement_is_met_from_the_version_on_that_mends_the_last_of_its_quirks():
    """smt-check-before-own-cpus ends with 1.36."""
    assert [version for version in SUPPORTED if version not in DEPARTURES[KEPT]] == [KubernetesVersion(1, 37)]


@deep
@pytest.mark.parametrize("version", [KubernetesVersion(1, 27), pytest.param(KubernetesVersion(1, 36), marks=deep)])
def test_the_part_about_scores_is_measured_again(version, tmp_path):
    scores = {name for name in REQUIREMENTS if name.startswith("scheduler/") and REQUIREMENTS[name].holds_in(version)}
    only = [option for name in sorted(scores) for option in ("--numa-requirement", name)]
    departing.ask(version, Quirks.of(version).showing(), tmp_path, *only)
    found = {name: causes for name, causes in departing.measured(version, tmp_path).items() if name in scores}
    kept = {name: DEPARTURES[name][version] for name in scores if version in DEPARTURES.get(name, ())}
    assert found == kept, "cd tests && python -m measured departures"


def test_versions_with_the_same_causes_are_told_as_one_span():
    first, second, third = SUPPORTED[:3]
    told = departing.spans({first: {"a": ("q",)}, second: {"a": ("q",)}, third: {"a": (), "b": ("q",)}})
    assert told == {"a": {f"{first}-{second}": ["q"], str(third): []}, "b": {str(third): ["q"]}}


def test_what_comes_after_questions_without_an_answer_is_asked_too(tmp_path):
    """On the first machine most lives end in a crash; what is resized on it and on the second is asked last."""
    machines = ("ibm-power9-ac922", "t1-one-socket-smt2")
    only = [option for machine in machines for option in ("--numa-machine", machine)]
    for name in (ANSWERED, LAST):
        only += ["--numa-requirement", name]
    quirks = [quirk for quirk in Quirks.of(NEWEST).showing() if quirk != "distances-by-node-id"]  # of merges alone too
    departing.ask(NEWEST, quirks, tmp_path, *only)
    silent, resized = (case for name in (ANSWERED, LAST) for case in departing.unmet_in(read_report(tmp_path))[name])
    assert silent.broken_in > MOST_FAULTS
    assert resized.asked
