import json
import re
import shlex
import subprocess
import sys

import pytest

from asked_in_full import deep
from forked_pytest import run_pytest
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.cli import main

QOS = "qos/best-effort-has-none"
ASKED = ("--numa-requirement", QOS, "--numa-budget", "100%")


def test_the_reference_conforms_and_the_verdict_line_says_so(suite):
    result = suite("--numa-requirement", "qos/*")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "numa-conformance: numa-conformance reference (documented) *",
            "qos * passed",
            "VERDICT: PARTIAL (level documented; * cases: * passed)",
        ]
    )


def test_a_mutant_is_not_conformant_and_the_requirement_is_told(suite, pytester):
    target = "mutants:lets_devices_decide_the_class"
    result = suite("--numa-target", target, *ASKED, "--numa-report", "out", "--junitxml", "junit.xml")
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"NOT MET: {QOS}*", "VERDICT: NOT*"])
    report = json.loads((pytester.path / "out" / "report.json").read_text())
    assert report["verdict"] == "not conformant"
    assert [case["verdict"] for case in report["cases"]] == ["failed"]
    assert f'value="{QOS}"' in (pytester.path / "junit.xml").read_text()


def test_a_failure_is_told_once_with_the_command_that_plays_it_again(suite, pytester, capsys):
    target, requirement = "mutants:forgets_to_return_cpus", "cpu-manager/shared-pool/loses-nothing"
    asked = ("--numa-requirement", requirement, "--numa-report", "out", "--numa-budget", "5%")
    result = suite("--numa-target", target, *asked, "-k", "test_every_step")
    assert result.outlines.count(f"  {REQUIREMENTS[requirement].text}") == 1
    result.stdout.fnmatch_lines(
        [f"NOT MET: {requirement}, tested * times in * histories", "socket 0*", "symbols: *- free"]
    )
    assert not any("Traceback" in line or line.startswith(("E  ", "> ", "FAILED ")) for line in result.outlines)
    command = next(line for line in result.outlines if line.startswith("play it again: "))
    asked = shlex.split(command)[4:]
    with pytest.raises(SystemExit, match=r"^1$"):
        main(asked)
    assert f"still not met: {requirement}" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["replay", asked[2], "--level", "documented"])
    assert f"met now: {requirement}" in capsys.readouterr().out


def _without_counts(report):
    """A report but for how often was asked, which hangs on the time that a budget leaves."""
    cases = json.loads(report.read_text())["cases"]
    return [{key: value for key, value in case.items() if key not in ("asked", "histories")} for case in cases]


@deep
def test_workers_of_xdist_give_the_same_report(suite, pytester):
    for name, args in (("one", []), ("two", ["-n", "2"])):
        assert suite("--numa-requirement", "qos/b*", "--numa-report", name, *args).ret == 0
    one, two = (_without_counts(pytester.path / name / "report.json") for name in ("one", "two"))
    assert one == two


@deep
def test_a_node_needs_no_narrow_surface_to_conform(suite, pytester, report):
    pytester.makepyfile(
        agent="""
        import msgspec
        from numa_conformance.reference.target import ReferenceTarget

        class Agent(ReferenceTarget):
            def __init__(self):
                super().__init__("documented")

            def describe(self, request):
                described = super().describe(request)
                return msgspec.structs.replace(described, surfaces=["node", "classify", "hints", "merge"])

            pick = allocate = None
        """
    )
    asked = ["--numa-target", "agent:Agent", "--numa-profile", "cpu", "--numa-report", "out"]
    assert suite(*asked).ret == 0
    assert report()["verdict"] == "conformant"
    assert not any(case["id"].startswith(("pick/", "allocate/")) for case in report()["cases"])


@deep
def test_the_order_of_the_tests_changes_nothing(suite, pytester):
    pytester.makepyfile(backwards="def pytest_collection_modifyitems(items):\n    items.reverse()\n")
    for name, args in (("one", []), ("two", ["-p", "backwards"])):
        assert suite("--numa-requirement", "cpu-manager/none/*", "--numa-report", name, *args).ret == 0
    one, two = (_without_counts(pytester.path / name / "report.json") for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--numa-requirement", "qos/best-effort"], "matches no requirement; did you mean 'qos/best-effort-has-none'"),
        (["--numa-requirement", "exporter/*"], "matches no requirement"),
        (["--numa-requirement", "cpu-manager/statik/*"], "did you mean 'cpu-manager/static/packs-whole-cores'?"),
        (["--numa-target", "nowhere:make"], "cannot be loaded"),
        (["--numa-target", "a:b", "--numa-target-command", "c"], "exclude each other"),
        (
            ["--numa-kubelet", "./kubelet", "--numa-level", "exact"],
            "numa-conformance diff reference:exact kubelet:PATH",
        ),
        (["--numa-timeout", "soon"], "--numa-timeout"),
        (["--numa-features", "+cpu-manager/statc"], "did you mean 'cpu-manager/static'"),
        (["--numa-known-failures", "absent.yaml"], "absent.yaml"),
    ],
)
def test_wrong_usage_is_told(suite, args, said):
    result = suite(*args)
    assert result.ret == 4
    assert said in result.stderr.str() + result.stdout.str()


def test_a_target_that_cannot_be_reached_has_its_own_exit_code(suite):
    result = suite("--numa-target-command", f"{sys.executable} -c 'raise SystemExit(3)'")
    assert result.ret == 10
    assert "exit status 3" in result.stdout.str() + result.stderr.str()


@pytest.mark.parametrize(
    ("named", "code"),
    [
        (("--numa-target-command", f"{sys.executable} rubbish.py"), 10),
        (("--numa-target", "refuses:make"), 4),
        (("--numa-target", "refuses_to_be_made:make"), 10),
    ],
)
def test_what_a_target_says_before_it_is_asked_is_no_command_to_the_terminal(suite, pytester, named, code):
    pytester.makepyfile(
        rubbish=r"print('I am \x1b[31m rubbish')",
        refuses=r"raise ValueError('I am \x1b[31m rubbish')",
        refuses_to_be_made="def make():\n" r"    raise ValueError('I am \x1b[31m rubbish')",
    )
    result = suite(*named)
    printed = result.stdout.str() + result.stderr.str()
    assert result.ret == code
    assert r"I am \u001b[31m rubbish" in printed
    assert "\x1b" not in printed


HOSTILE = """
import msgspec
from numa_conformance.reference.target import ReferenceTarget

class Hostile(ReferenceTarget):
    def describe(self, request):
        return msgspec.structs.replace(super().describe(request), name="::error::hostile")

    def classify(self, request):
        print("printed \\x1b[31m")
        raise ValueError("raised \\x1b[31m")
"""


@pytest.mark.parametrize("shown", [("--fulltrace", "--numa-no-shrink"), ("--numa-list",)])
def test_what_a_target_says_later_is_no_command_to_the_terminal_either(suite, pytester, shown):
    pytester.makepyfile(hostile=HOSTILE)
    asked = ("--numa-target", "hostile:Hostile", "--numa-requirement", "qos/best-effort-*", "--numa-budget", "2%")
    result = suite(*asked, *shown)
    printed = result.stdout.str() + result.stderr.str()
    assert "hostile" in printed
    assert "\x1b" not in printed
    assert not [line for line in printed.splitlines() if line.startswith("::")]


HANGS = """
import time
from numa_conformance.reference.target import ReferenceTarget

class Hangs(ReferenceTarget):
    def classify(self, request):
        while True:
            pass
"""


@deep
def test_an_endless_loop_is_timed_out_and_the_run_goes_on(suite, pytester):
    pytester.makepyfile(hangs=HANGS)
    result = suite(
        "--numa-target",
        "hangs:Hangs",
        "--numa-timeout",
        "0.3",
        *ASKED,
        "--numa-requirement",
        "host/finds-the-online-cpus",
        "--numa-report",
        "out",
    )
    assert result.ret == 1
    cases = json.loads((pytester.path / "out/report.json").read_text())["cases"]
    verdicts = {case["id"].split("[")[0]: case["verdict"] for case in cases}
    assert verdicts["histories/test_histories::test_every_step"] == "timed out"
    assert verdicts["host/test_discovery::test_finds_what_the_host_has"] == "passed"
    assert "no answer within 0.3 s" in result.stdout.str()


SMALL = """
from numa_conformance.reference.target import ReferenceTarget

class Small(ReferenceTarget):
    def describe(self, request):
        whole = super().describe(request)
        return type(whole)("small", "1", "2", ["node"], ["cpu-manager/none"])
"""


def test_what_is_not_claimed_is_not_passed(suite, pytester):
    pytester.makepyfile(small=SMALL)
    result = suite("--numa-target", "small:Small", "--numa-report", "out")
    assert result.ret == 0
    report = json.loads((pytester.path / "out/report.json").read_text())
    assert report["verdict"] == "partial"
    assert report["counts"]["passed"] >= 4
    assert report["counts"]["not claimed"] > 180
    assert report["counts"]["passed"] + report["counts"]["not claimed"] == len(report["cases"])


def test_a_known_failure_does_not_fail_the_run_and_a_stale_one_does(suite, pytester):
    target = "mutants:lets_devices_decide_the_class"
    entry = "- {requirement: %s, reason: it is so, link: https://example.com/1}\n"
    pytester.path.joinpath("known.yaml").write_text(entry % QOS)
    asked = (*ASKED, "--numa-report", "out")
    result = suite("--numa-target", target, "--numa-known-failures", "known.yaml", *asked)
    assert result.ret == 0
    assert json.loads((pytester.path / "out/report.json").read_text())["counts"]["expected failure"] >= 1
    pytester.path.joinpath("stale.yaml").write_text(entry % "host/finds-the-online-cpus")
    result = suite("--numa-known-failures", "stale.yaml", "--numa-profile", "host")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["problem: known failure host/finds-the-online-cpus: it is met now*"])


def test_a_rerun_asks_only_what_failed(suite):
    target = ["--numa-target", "mutants:lets_devices_decide_the_class", "--numa-budget", "100%"]
    suite(*target, "--numa-requirement", "qos/b*", "--numa-report", "out")
    result = suite(*target, "--numa-rerun", "out")
    verdict = re.search(r"VERDICT: NOT CONFORMANT \(level documented; (\d+) cases: (\d+) failed\)", result.stdout.str())
    assert verdict
    assert verdict[1] == verdict[2]


def test_options_may_stand_in_an_ini_file(suite, pytester):
    pytester.makeini("[pytest]\nnuma_level = exact\nnuma_requirement = host/finds-the-online-cpus\n")
    result = suite()
    result.stdout.fnmatch_lines(["VERDICT: PARTIAL (level exact;*"])


def test_without_the_flag_only_fixtures_are_offered(pytester):
    pytester.makepyfile(
        """
        def test_fixtures(numa_machine, fake_sysfs, fake_cgroupfs):
            machine = numa_machine("t1-one-socket-smt2")
            assert (fake_sysfs(machine) / "sys/devices/system/cpu/online").read_text() == "0-7\\n"
            assert fake_cgroupfs(machine, {"a": ["c"]}).joinpath("kubepods/poda/c/cpuset.cpus").exists()
        """
    )
    result = run_pytest(pytester.path)
    result.assert_outcomes(passed=1)
    assert "numa-conformance:" not in result.stdout.str()


def test_without_the_flag_nothing_heavy_is_imported():
    code = (
        "import sys, numa_conformance.plugin\n"
        "heavy = ['hypothesis', 'yaml', 'msgspec', 'rich', 'numa_conformance.suite', 'numa_conformance.wire']\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_the_package_imports_neither_pytest_nor_hypothesis():
    code = "import sys, numa_conformance; print([n for n in ('pytest', 'hypothesis') if n in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


@pytest.mark.parametrize(
    ("typed", "near"),
    [("--numa-taget=a:b", "--numa-target"), ("--numa-conformanc", "--numa-conformance"), ("--numa-foo", None)],
)
def test_a_misspelt_option_gets_the_nearest_name(pytester, typed, near):
    refused = pytester.runpytest(typed)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    told = [line.strip() for line in refused.errlines if "did you mean" in line]
    assert told == ([f"did you mean: {near}"] if near else [])


def test_an_option_that_is_typed_without_the_suite_says_so(pytester):
    pytester.makepyfile("def test_one(): pass")
    typed = pytester.runpytest("--numa-target=mine:make")
    assert typed.ret == pytest.ExitCode.USAGE_ERROR
    typed.stderr.fnmatch_lines(["*--numa-target has no effect without --numa-conformance"])
    pytester.makeini("[pytest]\naddopts = --numa-target=mine:make\nnuma_level = exact")
    assert pytester.runpytest().ret == 0
