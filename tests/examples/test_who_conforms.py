"""Other people's allocators: the page says what came of asking them, and asking anew comes to the same."""

import importlib.util
import os
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
_spec = importlib.util.spec_from_file_location("conforms", EXAMPLES / "conforms.py")
conforms = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conforms)
IN_GO = [name for name in conforms.ALLOCATORS if (EXAMPLES / name / "go.mod").exists()]


def test_the_page_is_made_of_what_was_found():
    assert conforms.PAGE.read_text(encoding="utf-8") == conforms.page(), "python examples/conforms.py writes it anew"
    assert {path.name: path.read_text(encoding="utf-8") for path in conforms.BADGES.iterdir()} == conforms.badges()


@pytest.mark.parametrize("allocator", conforms.ALLOCATORS)
def test_each_requirement_that_is_not_met_has_a_reason_and_no_other(allocator):
    verdicts = [pair for one in conforms.found(allocator) for pair in one["requirements"].items()]
    assert {name for name, verdict in verdicts if verdict != "met"} == set(conforms.about(allocator)["why"])


@pytest.mark.parametrize("allocator", IN_GO)
def test_a_shim_in_go_is_short_and_builds_the_version_of_the_page(allocator):
    assert len((EXAMPLES / allocator / "main.go").read_text(encoding="utf-8").splitlines()) <= 120
    module = (EXAMPLES / allocator / "go.mod").read_text(encoding="utf-8")
    for one in conforms.found(allocator):
        assert re.search(rf"^\t\S+ v{re.escape(one['version'])}$", module, flags=re.MULTILINE)


@pytest.mark.parametrize("allocator", conforms.ALLOCATORS)
@pytest.mark.skipif("NUMA_TEST_THIRD_PARTY" not in os.environ, reason="asked anew by tox run -e third-party alone")
def test_asked_anew_it_meets_the_same(allocator, tmp_path):
    if why := conforms.missing(allocator):
        pytest.skip(why)
    kept = ("way", "name", "version", "surfaces", "requirements")
    anew = [{key: one[key] for key in kept} for one in conforms.ask(allocator, tmp_path)]
    assert anew == [{key: one[key] for key in kept} for one in conforms.found(allocator)]
