"""One kubelet's process: started, asked over HTTP, ended."""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from ...errors import NOT_MET, Fault, StartError, UsageError
from ...files import end_of, text_of
from .launcher import HOME, Launcher

_START_SECONDS = 60
_POLL_SECONDS = 0.01
_END_SECONDS = 5.0
"""Between a connection that breaks and the end of a kubelet that writes down why."""
_INOTIFY_SECONDS = 30.0
"""In which others may give back inotify instances."""
_INOTIFY_AGAIN_SECONDS = 0.5
_ERROR = re.compile(r"^[EF]\d{4} .*?\] (.*)$", re.MULTILINE)
_PANIC = re.compile(r"^panic: .*", re.MULTILINE)
_CAUSE = re.compile(r'err="((?:[^"\\]|\\.)*)"')
_UNKNOWN_POLICY = re.compile(r'unknown policy: "([^"]*)"')
SETTINGS: Mapping[str, Mapping[str, Any]] = yaml.safe_load(text_of(__package__, "settings.yaml"))
"""Fields of configurations by the nodes that have them, and the stages that last errors tell of."""


class RunningKubelet:
    """A kubelet on a machine, its root below ``folder``. ``log`` is what it said so far."""

    def __init__(
        self, launcher: Launcher, binary: str, folder: Path, machine: dict[str, Any], config: Mapping[str, Any]
    ) -> None:
        """Start it, and wait until it takes pods; raises ``StartError`` with its own words when it ends instead.

        Raises ``UsageError`` where the system lacks inotify instances for it.
        """
        self.folder = folder
        self._launcher = launcher
        self._config = config
        (self._port,) = free_ports(1)
        self._log = folder / "kubelet.log"
        (folder / "config.yaml").write_text(json.dumps(configuration(config, HOME, self._port)))
        self._ready = folder / "device-plugins" / "kubelet.sock"
        self._ready.unlink(missing_ok=True)
        # One certificate serves all nodes: making one takes the kubelet half of its start.
        certificates = folder.parent / "certificates"
        flags = (
            f"--config={HOME}/config.yaml",
            f"--root-dir={HOME}",
            f"--cert-dir={certificates}",
            "--hostname-override=node",
        )
        end = time.monotonic() + _INOTIFY_SECONDS
        while not self._is_started(lambda: launcher.start(machine, folder, binary, flags)):
            if time.monotonic() > end:
                setting = "fs.inotify.max_user_instances"
                text = "this user's are used up, and the kubelet cannot start"
                raise UsageError(Fault(setting, text, f"sysctl {setting}=8192"))
            time.sleep(_INOTIFY_AGAIN_SECONDS)

    def _is_started(self, start: Callable[[], int]) -> bool:
        """Start it; tell whether it is up, or there were no inotify instances for it."""
        self._number = start()
        try:
            self._wait_until_up()
        except StartError as error:
            if "inotify_init: too many open files" in error.message:
                return False
            raise
        return True

    def pods(self) -> dict[str, Any]:
        """Return the pods that it knows, by uid; raises ``StartError`` with its last words where it has ended."""
        try:
            return self._ask_for_pods()
        except (OSError, http.client.HTTPException):
            end = time.monotonic() + _END_SECONDS
            while time.monotonic() < end:
                self.check()
                time.sleep(_POLL_SECONDS)
            raise

    def _ask_for_pods(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/pods", timeout=10) as answer:
            return {pod["metadata"]["uid"]: pod for pod in json.load(answer).get("items") or ()}

    def check(self) -> None:
        """Raise ``StartError`` if it has ended."""
        if self._launcher.has_ended(self._number):
            raise self._failure()

    def stop(self) -> None:
        """End it."""
        self._launcher.end(self._number)

    @property
    def log(self) -> str:
        """What it has said at last."""
        return end_of(self._log)

    def _wait_until_up(self) -> None:
        # The device plugins' socket is the last thing that the managers' start makes.
        end = time.monotonic() + _START_SECONDS
        while not (self._ready.exists() and self._answers()):
            self.check()
            if time.monotonic() > end:
                self.stop()
                raise StartError(NOT_MET, f"is not up after {_START_SECONDS} s: {self._last_words()}")
            time.sleep(_POLL_SECONDS)

    def _answers(self) -> bool:
        with contextlib.suppress(OSError, http.client.HTTPException):
            self._ask_for_pods()
            return True
        return False

    def _failure(self) -> StartError:
        words = self._last_words()
        if unknown := _UNKNOWN_POLICY.search(words):
            is_of_memory = unknown[1] == self._config.get("memoryManagerPolicy") != self._config.get("cpuManagerPolicy")
            return StartError("memorymanager" if is_of_memory else "cpumanager", words)
        stage = next((stage for text, stage in SETTINGS["stages"].items() if text in words.lower()), NOT_MET)
        panics = _PANIC.findall(self.log)
        return StartError(stage, panics[-1] if panics else words)

    def _last_words(self) -> str:
        errors = _ERROR.findall(self.log)
        causes = [cause for line in errors for cause in _CAUSE.findall(line)]
        return str((causes or errors or [self.log[-500:] or "it said nothing"])[-1]).replace('\\"', '"')


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback address that nobody uses now, all different."""
    with contextlib.ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [int(probe.getsockname()[1]) for probe in probes]


def version_of(binary: str) -> str:
    """Return the version that a kubelet tells (``v1.36.3``)."""
    done = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False, timeout=60)
    match = re.search(r"v\d+\.\d+\S*", done.stdout)
    if done.returncode or match is None or not os.access(binary, os.X_OK):
        raise StartError("kubelet", f"{binary} --version says no version: {(done.stdout + done.stderr)[:200]!r}")
    return match[0]


def configuration(tested: Mapping[str, Any], node: str, port: int) -> dict[str, Any]:
    """Return the configuration of a kubelet below ``node``, a folder of the kubelet's own view, read at ``port``.

    The kubelet is refused nothing of what is tested.
    """
    return {
        **tested,
        **SETTINGS["every_node"],
        "containerRuntimeEndpoint": f"unix://{node}/cri.sock",
        "staticPodPath": f"{node}/manifests",
        "podLogsDir": f"{node}/logs",
        "volumePluginDir": f"{node}/volume-plugins",
        "readOnlyPort": port,
        "featureGates": {**(tested.get("featureGates") or {}), "KubeletInUserNamespace": True},
    }
