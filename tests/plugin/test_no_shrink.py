"""``--numa-no-shrink``: failing examples as they were found."""

TARGET = ("--numa-target", "mutants:forgets_to_return_cpus")
ASKED = (*TARGET, "--numa-requirement", "cpu-manager/shared-pool/loses-nothing")


def test_no_search_for_the_smallest_scenario_is_made(suite, report):
    def size(name, *args):
        assert suite(*ASKED, "--numa-report", name, *args).ret == 1
        cases = report(name)["cases"]
        scenario = next(
            case["scenario"] for case in cases if case["id"] == "node/test_state_machine::test_a_node_stays_in_order"
        )
        return len(scenario["steps"]), len(scenario["machine"]["cpus"])

    assert size("found", "--numa-no-shrink") > size("smallest")
