"""An unmodified device plugin as a target of the protocol: the surface ``plugin``."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from ..errors import Fault, UsageError
from ..protocol.messages.describe import PROTOCOL, Describe, Description
from ..protocol.messages.plugin import (
    FEATURES,
    AllocateDevices,
    DevicesAllocated,
    PluginFailed,
    PluginRefused,
    PluginStarted,
    PreferDevices,
    Preferred,
    RestartKubelet,
    StartPlugin,
)
from ..protocol.unmodified import name_of
from .enter import NOT_ALLOWED
from .kubelet import LONGEST, KubeletOfPlugins

__all__ = ["HOST", "PLUGINS", "PluginTarget"]

HOST, PLUGINS = "{host_root}", "{plugin_folder}"
"""What stands in a command for the machine's tree and the kubelet's folder."""
REGISTER_SECONDS = 6.0
_LOOK_SECONDS, _END_SECONDS = 0.1, 1.0


class PluginTarget:
    """Starts the plugin anew on each machine.

    A command in which ``{plugin_folder}`` stands is told where the kubelet is, and by ``{host_root}`` the machine's
    tree. Any other sees the machine below ``/sys`` and ``/proc``, and the kubelet's folder where it always is.
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Take the command."""
        self._words = list(words)
        self._is_told = any(PLUGINS in word for word in words)
        self._home = Path(tempfile.mkdtemp(prefix="plugin-"))
        self._folder = self._home / "device-plugins"
        self._folder.mkdir()
        self._log = self._home / "plugin.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._kubelet: KubeletOfPlugins | None = None

    def describe(self, request: Describe) -> Description:
        """Say which plugin this is."""
        wants: list[Literal["host_root"]] = ["host_root"] if self._is_told else []
        return Description(
            name_of(self._words), "of an unknown version", PROTOCOL, ["plugin"], sorted(FEATURES), wants=wants
        )

    def plugin_start(self, request: StartPlugin) -> PluginStarted | PluginFailed:
        """Bring up a kubelet without anything, then the plugin, and wait until it has registered."""
        self._end()
        self._kubelet = KubeletOfPlugins(self._folder)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command(request), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        return self._meet()

    def _command(self, request: StartPlugin) -> list[str]:
        if self._is_told:
            told = {HOST: str(request.host_root), PLUGINS: str(self._folder)}
            return [_filled_in(word, told) for word in self._words]
        machine = self._home / "machine.json"
        machine.write_text(json.dumps(request.machine))
        return [
            sys.executable,
            "-m",
            "numa_conformance.real_plugin.enter",
            str(machine),
            str(self._folder),
            *self._words,
        ]

    def plugin_restart(self, request: RestartKubelet) -> PluginStarted | PluginFailed:
        """End the kubelet, bring another one up, and wait until the plugin has registered with it."""
        if self._kubelet is not None:
            self._kubelet.close()
        self._kubelet = KubeletOfPlugins(self._folder)
        return self._meet()

    def _meet(self) -> PluginStarted | PluginFailed:
        assert self._kubelet is not None
        end = time.monotonic() + REGISTER_SECONDS
        while time.monotonic() < end:
            met = self._kubelet.met(_LOOK_SECONDS)
            if met is not None:
                return met
            status = None if self._process is None else self._process.poll()
            if status == NOT_ALLOWED and not self._is_told:
                accepted = f"a command in which {PLUGINS} stands, and {HOST} where the plugin reads its host"
                raise UsageError(Fault("", self._said(), accepted))
            if status is not None:
                return self._failed(f"the plugin has ended with exit status {status}, and has not registered")
        return self._failed(f"the plugin has not registered within {REGISTER_SECONDS:g} s")

    def _failed(self, why: str) -> PluginFailed:
        said = self._said()
        return PluginFailed(f"{why}. It said: {said}" if said else why)

    def _said(self) -> str:
        return self._log.read_bytes()[-LONGEST:].decode("utf-8", "replace").strip() if self._log.exists() else ""

    def plugin_prefer(self, request: PreferDevices) -> Preferred | PluginRefused:
        """Ask what it prefers."""
        return self._up.prefer(request.available, request.included, request.size)

    def plugin_allocate(self, request: AllocateDevices) -> DevicesAllocated | PluginRefused:
        """Tell it what a container is given."""
        return self._up.allocate(request.devices)

    @property
    def _up(self) -> KubeletOfPlugins:
        if self._kubelet is None:
            raise UsageError(Fault("", "no plugin was started", "plugin.start first"))
        return self._kubelet

    def _end(self) -> None:
        """End the plugin, and the kubelet after it."""
        if self._process is not None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_END_SECONDS)
                    break
        if self._kubelet is not None:
            self._kubelet.close()
        self._process = self._kubelet = None

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        shutil.rmtree(self._home, ignore_errors=True)


def _filled_in(word: str, told: dict[str, str]) -> str:
    for name, value in told.items():
        word = word.replace(name, value)
    return word
