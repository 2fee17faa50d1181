from numa_conformance.report.writers import markdown_text
from report.runs import REQUIREMENT, case, failing_run, run


def test_the_verdict_the_areas_and_what_is_not_met_are_told():
    failed = case(2, "failed", details="takes <half> a core\x00")
    text = markdown_text(run(case(1), failed, case(3, "timed out", details="no answer")))
    assert text.startswith("## ❌ numa-conformance: not conformant\n")
    assert "| area | passed | failed | timed out |" in text
    assert "| cpu&#45;manager | 1 | 1 | 1 |" in text
    assert f"not met: {REQUIREMENT.replace('-', '&#45;')}</summary>" in text
    assert "takes <half> a core\\u0000" in text  # in a fence, where nothing is markup


def test_nothing_a_target_says_leaves_its_fence_or_is_markup():
    text = markdown_text(run(case(1, "failed", details="```\n# <b>free</b> @everyone\n::error::x"), name="[a](b)|c"))
    assert text.count("````") == 2
    assert "\\u003a:error::x" in text
    assert "&#91;a&#93;&#40;b&#41;&#124;c" in text


def test_an_error_of_the_suite_is_no_verdict():
    assert markdown_text(failing_run()).startswith("## ⚪ numa-conformance: not judged\n")


def test_a_conformant_run_is_short():
    assert markdown_text(run(case(1), narrowed=False)).count("<details>") == 0
