"""An unmodified device plugin as a target of the protocol: the surface ``plugin``."""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from ...errors import require
from ...wire.messages import plugin as messages
from ...wire.messages.describe import Describe, Description
from ..daemon.daemon import HOST, Daemon
from .kubelet import KubeletOfPlugins

PLUGINS = "{plugin_folder}"
"""What stands in a command for the kubelet's folder."""
PLACE, REGISTRY = "/var/lib/kubelet/device-plugins", "/var/lib/kubelet/plugins_registry"
REGISTER_SECONDS, SHORT_SECONDS, MOST_SILENCES = 20.0, 5.0, 3
"""How long a plugin has to register, and how long where it has not on so many machines, one after the other."""
_LOOK_SECONDS = 0.1
Answer = messages.PluginStarted | messages.PluginFailed


class PluginTarget:
    """Starts the plugin anew on each machine.

    Of several resources one is asked for on each machine, by turns. A command in which ``{plugin_folder}`` stands is
    told where the kubelet is, and by ``{host_root}`` the machine's tree. Any other sees the machine below ``/sys`` and
    ``/proc``, and the kubelet's folders where they always are.
    """

    def __init__(self, words: Sequence[str], unsupported: str = "") -> None:
        self._daemon = Daemon("plugin", words, (PLUGINS, HOST), unsupported)
        self._folder, self._registry = (self._daemon.home / Path(place).name for place in (PLACE, REGISTRY))
        self._folder.mkdir()
        self._kubelet: KubeletOfPlugins | None = None
        self._silences, self._turn, self._resource = 0, -1, ""

    def describe(self, request: Describe) -> Description:
        """Say which plugin this is."""
        return self._daemon.described("plugin", sorted(messages.FEATURES))

    def plugin_start(self, request: messages.StartPlugin) -> messages.PluginStarted | messages.PluginFailed:
        """Bring up a kubelet without anything, then the plugin, and wait until it has registered."""
        self._end()
        shutil.rmtree(self._registry, ignore_errors=True)
        self._registry.mkdir()
        self._turn, self._resource = self._turn + 1, ""
        self._kubelet = KubeletOfPlugins(self._folder, self._registry)
        values = {HOST: str(request.host_root), PLUGINS: str(self._folder)}
        self._daemon.start(request.machine, {self._folder: PLACE, self._registry: REGISTRY}, values)
        answer = self._meet(starts=True)
        if isinstance(answer, messages.PluginFailed):
            self._daemon.check_support()
        return answer

    def plugin_restart(self, request: messages.RestartKubelet) -> messages.PluginStarted | messages.PluginFailed:
        """End the kubelet, bring another one up, and wait until the plugin has registered with it."""
        if self._kubelet is not None:
            self._kubelet.close()
        self._kubelet = KubeletOfPlugins(self._folder, self._registry)
        return self._meet()

    def _meet(self, *, starts: bool = False) -> Answer:
        """Wait until the plugin has registered; one that ends then, as its kubelet has ended, registers once more."""
        met: list[Answer] = []

        def happens() -> bool:
            answer = self._up.met(_LOOK_SECONDS, self._turn, self._resource)
            if answer is not None and self._daemon.ended is None:
                met.append(answer)
            elif answer is not None:
                self._up.forget()
            return bool(met)

        seconds = REGISTER_SECONDS if self._silences < MOST_SILENCES else SHORT_SECONDS
        failure = self._daemon.wait(happens, seconds, "registered")
        if failure is None:
            self._silences = 0
            if isinstance(answer := met[0], messages.PluginStarted):
                self._resource = answer.resource
                return replace(answer, restarts=self._daemon.take_restarts())
            return answer
        if not starts:
            return messages.PluginFailed(failure)
        self._silences += 1
        status = self._daemon.status
        return messages.PluginFailed(failure, "silent" if status is None else "ended" if status else "finished")

    def plugin_prefer(self, request: messages.PreferDevices) -> messages.Preferred | messages.PluginRefused:
        """Ask what it prefers."""
        lists = self._meet_again()
        answer = self._up.prefer(request.available, request.included, request.size)
        return replace(answer, lists=[*lists, *answer.lists])

    def plugin_allocate(self, request: messages.AllocateDevices) -> messages.DevicesAllocated | messages.PluginRefused:
        """Tell it what a container is given."""
        lists = self._meet_again()
        answer = self._up.allocate(request.devices)
        return replace(answer, lists=[*lists, *answer.lists])

    def _meet_again(self) -> list[list[messages.OfferedDevice]]:
        """Have a plugin that has ended since its last answer started again; returns the first list of the new one."""
        until = time.monotonic() + SHORT_SECONDS
        while self._daemon.ended is None:
            if not self._up.is_lost or time.monotonic() > until:
                return []
            time.sleep(_LOOK_SECONDS)  # that it has ended is known a moment later
        self._up.forget()
        answer = self._meet()
        if isinstance(answer, messages.PluginFailed):
            return []
        self._daemon.restarts += answer.restarts
        return [answer.devices]

    @property
    def _up(self) -> KubeletOfPlugins:
        return require(self._kubelet, "no plugin was started", "plugin.start")

    def _end(self) -> None:
        self._daemon.end()
        if self._kubelet is not None:
            self._kubelet.close()
        self._kubelet = None

    def close(self) -> None:
        """End all, and remove what was made."""
        self._end()
        self._daemon.close()
