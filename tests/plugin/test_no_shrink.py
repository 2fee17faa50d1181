"""``--numa-no-shrink``: failing examples as they were found, as those of known failures always are."""

from asked_in_full import deep

REQUIREMENT = "cpu-manager/shared-pool/regains-cpus-on-removal"
ONE = ("-k", "test_lives_of_nodes")
WHOLE = ("--numa-budget", "100%")
ASKED = ("--numa-target", "mutants:forgets_to_return_cpus", "--numa-requirement", REQUIREMENT, *ONE, *WHOLE)
KNOWN = f"- {{requirement: {REQUIREMENT}, reason: it is so, link: https://example.com/1}}\n"


@deep
def test_no_search_for_the_smallest_scenario_is_made(suite, pytester, report):
    def found(name, *args):
        suite(*ASKED, "--numa-report", name, *args)
        cases = {case["id"]: case for case in report(name)["cases"]}
        case = cases["searches/test_searches::test_lives_of_nodes"]
        return case["verdict"], len(case["scenario"]["steps"]), len(case["scenario"]["machine"]["cpus"])

    pytester.path.joinpath("known.yaml").write_text(KNOWN)
    failed, *smallest = found("smallest")
    asked, *as_asked = found("asked", "--numa-no-shrink")
    known, *as_known = found("known", "--numa-known-failures", "known.yaml")
    assert (failed, asked, known) == ("failed", "failed", "expected failure")
    assert as_asked == as_known > smallest
