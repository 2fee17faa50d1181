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


def test_a_group_that_comes_late_is_asked_in_part_before_others_are_asked_whole(suite, pytester):
    pytester.makepyfile(
        late="""
        import msgspec
        from numa_conformance.reference.target import ReferenceTarget

        class Late(ReferenceTarget):
            starts = 0

            def __init__(self):
                super().__init__("documented")

            def describe(self, request):
                features = ["cpu-manager/none", "topology-manager/restricted"]
                claims = {"surfaces": ["node", "merge"], "features": features}
                return msgspec.structs.replace(super().describe(request), **claims)

            def node_start(self, request):
                Late.starts += 1
                return super().node_start(request)

            def merge(self, request):
                with open("starts.txt", "a") as file:
                    print(Late.starts, file=file)
                return super().merge(request)
        """
    )
    suite("--numa-target", "late:Late", "--numa-same-process", "--numa-at-once", "1", "--numa-budget", "100%")
    starts = [int(line) for line in (pytester.path / "starts.txt").read_text().splitlines()]
    assert 0 < starts[0] < starts[-1] / 3
