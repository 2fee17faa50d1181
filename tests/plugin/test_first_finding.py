"""The first finding is printed while the run goes on."""

import pytest


def lines(result):
    return [line for line in result.outlines if line.startswith("first finding")]


@pytest.fixture
def wrong(pytester):
    pytester.makepyfile(
        wrong="""
        from numa_conformance.reference.target import ReferenceTarget

        class Wrong(ReferenceTarget):
            def __init__(self):
                super().__init__("documented")

            def pick(self, request):
                return {"result": "picked", "cpus": f"0-{request.count - 1}"}
        """
    )
    return ("--numa-target", "wrong:Wrong", "--numa-profile", "pick", "--numa-no-shrink")


def test_it_stands_before_the_findings_on_a_line_of_its_own(suite, wrong):
    result = suite(*wrong)
    (line,) = lines(result)
    assert line.startswith("first finding, on ")
    assert result.outlines.index(line) < next(n for n, each in enumerate(result.outlines) if each.startswith("NOT MET"))


def test_a_right_target_has_none(suite):
    assert not lines(suite("--numa-requirement", "cpu-manager/static/gives-free-cpus-only", "--numa-budget", "2%"))


def test_very_quiet_runs_print_none(suite, wrong):
    assert not lines(suite(*wrong, "-q", "-q"))


def test_a_case_that_is_no_conversation_has_one_too(suite, pytester):
    pytester.makepyfile(
        blind="""
        from numa_conformance.reference.target import ReferenceTarget
        from numa_conformance.wire.messages.host import Discovered

        class Blind(ReferenceTarget):
            def __init__(self):
                super().__init__("documented")

            def host_discover(self, request):
                machine = dict(super().host_discover(request).machine)
                return Discovered({**machine, "cpus": machine["cpus"][:-1]})
        """
    )
    (line,) = lines(suite("--numa-target", "blind:Blind", "--numa-requirement", "host/finds-the-online-cpus"))
    assert line.startswith("first finding, in host/test_discovery::test_finds_what_the_host_has[")
    assert ": host/finds-the-online-cpus: other CPUs are found, " in line
