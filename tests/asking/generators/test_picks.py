"""What the sweeps of ``pick`` ask, and of which machines they do not."""

import pytest

from numa_conformance.asking.generators.picks import pick_sweep
from numa_conformance.machine import load_machine

OPTIONS = [frozenset(), frozenset({"align-by-socket"}), frozenset({"distribute-cpus-across-numa"})]


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("t2-two-sockets-interleaved", OPTIONS),
        ("t5-two-sockets-one-numa", [OPTIONS[0], OPTIONS[2]]),
        ("forty-numa-nodes", OPTIONS[:2]),
    ],
)
def test_options_are_asked_of_machines_on_which_a_node_comes_up_and_answers_in_time(name, asked):
    """No node comes up with align-by-socket on more sockets than NUMA nodes (CPU-OPT-13)."""
    told = [scenario.cell for scenario in pick_sweep([load_machine(name)], OPTIONS, counts=1)]
    wanted = ["+".join(sorted(names)) or "no option" for names in asked]
    assert list(dict.fromkeys(cell.removeprefix("pick ").partition(",")[0] for cell in told)) == wanted
