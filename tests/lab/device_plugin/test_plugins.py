"""Device plugins as they are, started on machines that are not there: a right one, and some wrong in one way each."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from asked_in_full import deep
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.device_plugins import device_plugins
from numa_conformance.asking.outcomes import GroupOutcome
from numa_conformance.errors import UsageError
from numa_conformance.lab.device_plugin import kubelet as kubelet_module
from numa_conformance.lab.device_plugin import target as target_module
from numa_conformance.lab.device_plugin.target import PluginTarget
from numa_conformance.machine import load_machine
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.plugin import PluginFailed, PluginStarted, PreferDevices, RestartKubelet

EXAMPLE = Path(__file__).parents[3] / "examples/device_plugin"
TOLD = ("{plugin_folder}", "{host_root}")
PLUGIN = "device-plugin/"


def asked(*words: str, machine: str = "sparse-ids", kind: type[PluginTarget] = PluginTarget) -> GroupOutcome:
    """Ask a plugin on one machine."""
    target = kind([sys.executable, *words])
    client = Client(InProcess(lambda: target, "plugin"))
    try:
        return Asking(device_plugins(client.features, [load_machine(machine)]), client, "1.36").spend()
    finally:
        client.close()
        target.close()


def test_a_right_plugin_meets_all_that_is_asked() -> None:
    outcome = asked(str(EXAMPLE / "slots.py"), *TOLD)
    assert outcome.verdicts.unmet == set()
    assert len([name for name in outcome.verdicts.tests if name.startswith(PLUGIN)]) == 12


@deep
def test_one_that_counts_numa_nodes_is_wrong_where_their_ids_have_gaps() -> None:
    assert asked(str(EXAMPLE / "slots.py"), *TOLD, "--counting").verdicts.unmet == {
        PLUGIN + "topology/names-nodes-of-the-machine"
    }


WRONG = {
    "registration/serves-before-it-registers": """
        class Wrong(plugin.Plugin):
            def start(self):
                serve, plugin.serve = plugin.serve, lambda *words: None
                super().start()
                plugin.serve = serve
                self.server = serve(str(self.folder / plugin.ENDPOINT), plugin.service(V1BETA1, "DevicePlugin", {
                    "GetDevicePluginOptions": lambda request, context: self.options,
                    "ListAndWatch": self.list, "GetPreferredAllocation": self.prefer, "Allocate": self.allocate,
                }, {"GetDevicePluginOptions": "Empty", "ListAndWatch": "Empty"}))
        """,
    "registration/again-after-a-restart": """
        class Wrong(plugin.Plugin):
            def keep_up(self):
                pass
        """,
    "preferred-allocation/holds-what-must-be-included": """
        class Wrong(plugin.Plugin):
            def prefer(self, request, context):
                for container in request.container_requests:
                    del container.must_include_deviceIDs[:]
                return super().prefer(request, context)
        """,
    "allocation/serves-what-it-offers": """
        class Wrong(plugin.Plugin):
            def allocate(self, request, context):
                return V1BETA1.AllocateResponse()
        """,
}


WAITED_FOR_IN_VAIN = 0.5
"""Seconds, of what a plugin that is wrong never does."""


@pytest.fixture
def written(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    program = tmp_path / "wrong.py"
    begin = f"import sys\nsys.path.insert(0, {str(EXAMPLE)!r})\nimport plugin\nfrom plugin import V1BETA1\n"
    program.write_text(f"{begin}{textwrap.dedent(request.param)}\nplugin.Plugin = Wrong\nplugin.main()\n")
    return program


@pytest.mark.parametrize(
    ("written", "broken"),
    [
        pytest.param(text, name, id=name, marks=deep if name.startswith("registration/") else ())
        for name, text in WRONG.items()
    ],
    indirect=["written"],
)
def test_a_plugin_that_is_wrong_in_one_way_is_found(
    written: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Impatient(PluginTarget):
        def plugin_restart(self, request: RestartKubelet) -> PluginStarted | PluginFailed:
            with pytest.MonkeyPatch.context() as patch:
                if broken == "registration/again-after-a-restart":
                    patch.setattr(target_module, "REGISTER_SECONDS", WAITED_FOR_IN_VAIN)
                return super().plugin_restart(request)

    if broken == "registration/serves-before-it-registers":
        monkeypatch.setattr(kubelet_module, "CONNECT_SECONDS", WAITED_FOR_IN_VAIN)
    outcome = asked(str(written), TOLD[0], str(EXAMPLE / "devices.json"), machine="snc2-small", kind=Impatient)
    assert outcome.verdicts.unmet == {PLUGIN + broken}


def test_one_that_ends_is_told_with_its_last_words() -> None:
    outcome = asked("-c", "import sys; sys.exit('no driver')", *TOLD)
    assert outcome.verdicts.unmet == {PLUGIN + "registration/registers"}
    (broken,) = outcome.verdicts.broken
    assert "exit status 1" in broken.violation.got
    assert broken.violation.got.endswith("It said: no driver")


def test_nothing_is_asked_of_a_plugin_that_was_not_started() -> None:
    target = PluginTarget([sys.executable, "-c", "", *TOLD])
    with pytest.raises(UsageError, match="no plugin was started"):
        target.plugin_prefer(PreferDevices([], [], 0))
    target.close()


def _may_have_mounts() -> bool:
    tried: Any = subprocess.run(
        [sys.executable, "-m", "numa_conformance", "machines", "run", "one-cpu", "--", "true"],
        capture_output=True,
        check=False,
    )
    return bool(tried.returncode == 0)


def test_an_unmodified_one_finds_machine_and_kubelet_where_they_always_are() -> None:
    if not _may_have_mounts():
        pytest.skip("this system lets nobody have mounts of their own")
    outcome = asked(str(EXAMPLE / "slots.py"), "/var/lib/kubelet/device-plugins", "/", "--counting")
    assert outcome.verdicts.unmet == {PLUGIN + "topology/names-nodes-of-the-machine"}
