"""What is told of requirements that the kubelet does not meet."""

from numa_conformance.documentation.quirks import QUIRKS
from numa_conformance.documentation.versions import SUPPORTED, KubernetesVersion
from numa_conformance.suite.requirements import REQUIREMENTS
from numa_conformance.suite.requirements.departures import DEPARTURES, departing


def test_departures_name_requirements_of_the_documentation_and_quirks():
    for requirement, quirks in DEPARTURES.items():
        assert REQUIREMENTS[requirement].level == "documented"
        assert quirks
        assert set(quirks) <= QUIRKS.keys()


def test_a_requirement_is_met_from_the_version_on_that_mends_the_last_of_its_quirks():
    """smt-check-before-own-cpus ends with 1.36."""
    kept = "cpu-manager/static/keeps-cpus-when-admitted-again"
    met = [version for version in SUPPORTED if not departing(kept, version)]
    assert met == [KubernetesVersion(1, 37)]
