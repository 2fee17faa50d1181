"""``--numa-no-shrink``: conversations that fail as they were found."""

from asked_in_full import deep

REQUIREMENT = "cpu-manager/shared-pool/regains-cpus-on-removal"
ASKED = ("--numa-target", "mutants:forgets_to_return_cpus", "--numa-requirement", REQUIREMENT)


@deep
def test_no_shorter_conversation_is_looked_for(suite, report):
    def steps(name, *args):
        suite(*ASKED, "--numa-report", name, *args)
        (case,) = (case for case in report(name)["cases"] if case["verdict"] == "failed")
        return len(case["scenario"]["steps"])

    assert steps("shortest") < steps("as_it_was_found", "--numa-no-shrink")
