"""Programs that cannot run, behind each door: the run says that they could not be asked, and condemns none of them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from asked_in_full import deep
from forked_pytest import run_as_typed
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.device_plugins import device_plugins
from numa_conformance.lab.device_plugin.target import PluginTarget
from numa_conformance.machine import load_machine
from numa_conformance.wire import Client, InProcess
from processes import PATIENCE

PYTHON = shlex.quote(sys.executable)
IN_USE = "import socket; [each.bind(('127.0.0.1', 80)) for each in (socket.socket(), socket.socket())]"
ENDS = {
    "fails": ("false", "exit status 1"),
    "ends well": ("true", "exit status 0"),
    "has no such file": (f"{PYTHON} /no/such/program.py", "No such file or directory"),
    "has no such module": (f"{PYTHON} -m no_such_module", "No module named no_such_module"),
    "crashes": (f"{PYTHON} -c 'raise OSError(1)'", "OSError: 1"),
    "is killed": (f"{PYTHON} -c 'import os; os.kill(os.getpid(), 9)'", "exit status -9"),
    "has no program to run": ("sh -c /no/such/program", "not found"),
    "finds its port in use": (f"{PYTHON} -c {shlex.quote(IN_USE)}", "Address already in use"),
    "does not exist": ("/no/such/program", "there is no such program"),
}
DAEMONS = ("--numa-device-plugin", "--numa-dra-driver", "--numa-nri-plugin")
OTHERS = {
    "a kubelet that does not exist": ("--numa-kubelet=/no/such/kubelet", "there is no such file"),
    "a kubelet that is none": ("--numa-kubelet=/bin/false", "says no version"),
    "a kubelet that ends": ("--numa-kubelet=KUBELET", "address already in use"),
    "a kubelet that ends beside a plugin": ("--numa-kubelet=KUBELET --numa-nri-plugin=true", "already in use"),
    "a cluster without programs": ("--numa-dra-driver=true --numa-binaries=FOLDER", "not found in"),
    "a target that does not exist": ("--numa-target-command=/no/such/target", "No such file or directory"),
    "a target that ends": ("--numa-target-command=false", "exit status 1"),
    "a target that ends well": ("--numa-target-command=true", "exit status 0"),
    "a target without its file": (f"--numa-target-command='{PYTHON} /no/such.py'", "No such file or directory"),
}
KUBELET = Path(__file__).with_name("kubelet_that_ends.sh")
STARTS = {
    **{
        f"{option} {name}": (f"{option}={shlex.quote(command)}", words)
        for option in DAEMONS
        for name, (command, words) in ENDS.items()
    },
    **OTHERS,
}
ALWAYS = {"--numa-device-plugin fails", "--numa-device-plugin ends well", "a target that ends"}


@pytest.mark.parametrize(
    ("options", "words"),
    [pytest.param(*start, id=name, marks=() if name in ALWAYS else deep) for name, start in STARTS.items()],
)
def test_a_program_that_cannot_run_is_not_called_wrong(options: str, words: str, tmp_path: Path) -> None:
    options = options.replace("KUBELET", str(KUBELET)).replace("FOLDER", str(tmp_path))
    asked = ("--numa-conformance", "--numa-budget=20%", "--numa-machine=sparse-ids", *shlex.split(options))
    result = run_as_typed(tmp_path, *asked)
    shown = "\n".join((*result.outlines, *result.errlines))
    assert result.ret == 10, shown
    assert words in shown
    assert "COULD NOT BE ASKED" in shown or "the target cannot be asked" in shown
    assert "NOT MET" not in shown
    assert "first finding" not in shown


def test_there_are_enough_of_them() -> None:
    assert len(STARTS) >= 30


SLOTS = Path(__file__).parents[2] / "examples/device_plugin/slots.py"
IN_VAIN = 0.3
"""Seconds within which a plugin that never registers does not."""
RUNS_ON = "time.sleep(1e6)"
OFFERS_NOTHING = {"runs on": RUNS_ON, "ends well": "sys.exit()"}
BEGINS = f"""import sys, time; sys.path.insert(0, {str(SLOTS.parent)!r}); import slots
from pathlib import Path
on = (Path(sys.argv[2]) / 'sys/devices/system/node/online').read_text().strip()
"""


@pytest.mark.parametrize("end", OFFERS_NOTHING.values(), ids=OFFERS_NOTHING)
@pytest.mark.parametrize("elsewhere", [True, False], ids=["offers elsewhere", "nowhere"])
def test_a_plugin_that_offers_nothing_on_a_machine_is_not_judged_there(end: str, elsewhere: bool) -> None:
    script = f"{BEGINS}if on == '0' or not {elsewhere}: {end}\nslots.main()"
    silent_on = [] if end != RUNS_ON else ["0"] if elsewhere else ["0", "0-3"]
    verdicts, absent = ask(script, "one-cpu", "snc2-small", silent_on=silent_on)
    assert verdicts.unmet == set()
    assert absent != elsewhere


def test_a_plugin_that_fails_on_one_machine_alone_is_found() -> None:
    verdicts, absent = ask(f"{BEGINS}if on == '0': sys.exit('one node only')\nslots.main()", "one-cpu", "snc2-small")
    assert verdicts.unmet == {"device-plugin/registration/registers"}
    assert not absent


def ask(script: str, *machines: str, silent_on: Sequence[str] = ()):
    """Ask a device plugin of some machines; return what came of it, and whether it was met on none.

    ``silent_on``: NUMA nodes of machines on which nobody waits long for it.
    """
    target = PluginTarget([sys.executable, "-c", script, "{plugin_folder}", "{host_root}"])
    daemon, wait = target._daemon, target._daemon.wait

    def patient(happens: Callable[[], object], _: float, what: str) -> str | None:
        on = Path(daemon._filled[-1], "sys/devices/system/node/online").read_text().strip()
        return wait(happens, IN_VAIN if on in silent_on else PATIENCE, what)

    daemon.wait = patient  # type: ignore[method-assign]
    client = Client(InProcess(lambda: target, "plugin"))
    try:
        asking = Asking(device_plugins(client.features, [load_machine(name) for name in machines]), client, "1.36")
        return asking.spend().verdicts, client.record.is_absent
    finally:
        client.close()
        target.close()


def test_a_report_tells_how_often_a_program_was_restarted(tmp_path: Path) -> None:
    script = f"{BEGINS}before = Path('before')\nif not before.exists(): before.touch(); sys.exit(1)\nslots.main()"
    command = shlex.join([sys.executable, "-c", script, "{plugin_folder}", "{host_root}"])
    asked = ("--numa-conformance", "--numa-machine=sparse-ids", f"--numa-device-plugin={command}")
    result = run_as_typed(tmp_path, *asked)
    words = "note: the program ended, and was restarted at most 1x in a row; a kubelet would have waited 10 s"
    assert words in result.outlines
    assert result.ret == 0
