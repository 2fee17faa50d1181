"""What a user's own tests are set up with does not reach the suite."""

import pytest

from asked_in_full import deep

CONFTEST = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true")

def pytest_configure(config):
    raise RuntimeError("configured")

@pytest.fixture(autouse=True)
def mine():
    raise RuntimeError("mine")

@pytest.fixture(scope="session")
def target():
    raise RuntimeError("mine")

def pytest_collection_modifyitems(items):
    items.clear()

def pytest_runtest_setup(item):
    pytest.skip("mine")
"""
INI = """
[pytest]
addopts = {options} -m unit -k nothing -x
markers = unit
filterwarnings = error::DeprecationWarning
python_files = check_*.py
python_functions = check_*
norecursedirs = histories node
usefixtures = mine
testpaths = tests
timeout = 0.001
"""
CLASSES = ("qos/best-effort-has-none", "qos/burstable-has-some-request")
ASKED = (*(f"--numa-requirement={name}" for name in CLASSES), "--numa-report", "out")


@pytest.mark.parametrize("options", ["", "--slow"], ids=["plain", "with-an-option-of-ones-own"])
def test_a_conftest_and_settings_of_ones_own_do_not_reach_the_suite(suite, pytester, report, options):
    pytester.makeini(INI.format(options=options))
    pytester.makeconftest(CONFTEST)
    result = suite(*ASKED)
    assert result.ret == 0, result.stdout.str() + result.stderr.str()
    assert {case["verdict"] for case in report()["cases"]} == {"passed"}
    assert [case["requirements"] for case in report()["cases"]] == [[name] for name in CLASSES]


def test_a_conftest_that_cannot_be_loaded_does_no_harm(suite, pytester):
    pytester.makeconftest("raise RuntimeError('mine')")
    assert suite(*ASKED).ret == 0


def test_a_warning_of_a_target_is_no_error_of_the_suite(suite, pytester, report):
    pytester.makeini("[pytest]\nfilterwarnings = error::DeprecationWarning\n")
    pytester.makepyfile(
        warns="""
        import warnings
        from numa_conformance.reference.target import ReferenceTarget

        class Warns(ReferenceTarget):
            def classify(self, request):
                warnings.warn("old", DeprecationWarning)
                return super().classify(request)
        """
    )
    assert suite("--numa-target", "warns:Warns", "-W", "error::DeprecationWarning", *ASKED).ret == 0
    assert {case["verdict"] for case in report()["cases"]} == {"passed"}


def test_beside_tests_of_ones_own_the_suite_keeps_its_fixtures(suite, pytester, report):
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def mine(request):
            assert "own" in request.node.name

        @pytest.fixture
        def target():
            return "mine"
        """
    )
    pytester.makepyfile(test_own="def test_own(target):\n    assert target == 'mine'\n")
    assert suite("test_own.py", "--numa-profile", "plugin", "--numa-report", "out").ret == 0
    areas = {case["area"]: case["verdict"] for case in report()["cases"]}
    assert areas == {"device-plugin": "passed", "protocol": "passed"}


@deep
def test_cases_that_another_plugin_drops_take_the_profile_away(suite, pytester, report):
    pytester.makepyfile(drops="def pytest_collection_modifyitems(items):\n    del items[5:]\n")
    assert suite("-p", "drops", "--numa-profile", "scheduler", "--numa-report", "out").ret == 0
    assert (report()["verdict"], report()["profile"], len(report()["cases"])) == ("partial", "", 5)


BREAKS = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    yield
    if "burstable" in item.name:
        raise RuntimeError("of the suite")
"""


def test_an_error_of_the_suite_is_not_judged(suite, pytester, report):
    pytester.makepyfile(breaks=BREAKS)
    result = suite("-p", "breaks", *ASKED)
    assert result.ret == 11
    assert report()["verdict"] == "not judged"
    result.stdout.fnmatch_lines(["VERDICT: NOT JUDGED *", "The suite itself went wrong*"])
    assert "#5f6368" in (pytester.path / "out" / "badge.svg").read_text()


@deep
def test_an_internal_error_is_not_judged(suite, pytester):
    pytester.makepyfile(breaks="def pytest_runtest_protocol(item):\n    raise RuntimeError('of a plugin')\n")
    result = suite("-p", "breaks", *ASKED)
    assert result.ret == 11
    result.stdout.fnmatch_lines(["problem: internal error: RuntimeError: of a plugin", "VERDICT: NOT JUDGED *"])
