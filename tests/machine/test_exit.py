import subprocess
import sys

from asked_in_full import deep
from processes import PATIENCE

LOAD = "from numa_conformance.machine import load_machine; load_machine('t1-one-socket-smt2')"


@deep
def test_the_interpreter_ends_well_after_a_machine_was_read():
    runs = [subprocess.Popen([sys.executable, "-c", LOAD]) for _ in range(8)]
    assert {run.wait(PATIENCE) for run in runs} == {0}
