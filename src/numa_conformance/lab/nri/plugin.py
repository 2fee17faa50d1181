"""The process of an unmodified NRI plugin, and what its command is told."""

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import NumaConformanceError
from ...kube import KubeletConfiguration, reserved_cpu_milli
from ...wire.messages.node import StartNode
from ..daemon.daemon import HOST, Daemon
from .runtime_side import NriError

SOCKET, KUBELET, RESERVED, AMOUNT, STATE = (
    "{nri_socket}", "{kubelet_config}", "{reserved_cpus}", "{reserved_amount}", "{state_folder}",
)  # fmt: skip
"""What stands in a command for NRI's socket, the kubelet's configuration, its reservation, and files of the plugin."""
FEATURES = ("cpu-manager/static", "node/cpuset", "node/restart")
"""What is asked of a plugin unless ``--numa-features`` says otherwise."""
REGISTER_SECONDS = 20.0
_LOOK_SECONDS = 0.1
PLACE = "/var/run/nri"


class Plugin(Daemon):
    """A daemon that registers with a container runtime."""

    def __init__(self, words: Sequence[str], unsupported: str = "") -> None:
        """Take the command, and by which words it says that it does not support a machine."""
        super().__init__("plugin", words, (SOCKET, HOST, KUBELET, RESERVED, AMOUNT, STATE), unsupported)
        self._state = self.home / "state"

    def forget(self) -> None:
        """Remove the files that it has kept: what starts next is on another machine, or on an empty one."""
        shutil.rmtree(self._state, ignore_errors=True)
        self._state.mkdir()

    def come_up(
        self,
        start: StartNode,
        kubelet: Mapping[str, Any],
        socket: Path,
        registered: Callable[[float], bool],
        places: Mapping[Path, str] | None = None,
    ) -> str | None:
        """Start it, and wait until it has registered at the socket; returns why that failed.

        ``registered`` waits so many seconds, and raises ``NriError``. ``places``: other folders by where it finds them.
        """
        configuration = self.home / "kubelet.json"
        configuration.write_text(json.dumps(kubelet))
        values = {
            SOCKET: str(socket), HOST: str(start.host_root), KUBELET: str(configuration), STATE: str(self._state),
            RESERVED: reserved(kubelet), AMOUNT: f"{reserved_cpu_milli(KubeletConfiguration.from_dict(kubelet))}m",
        }  # fmt: skip
        self.start(start.machine, {**(places or {}), socket.parent: PLACE}, values)
        try:
            return self.wait(lambda: registered(_LOOK_SECONDS), REGISTER_SECONDS, "registered")
        except NriError as error:
            return self.failed(f"the plugin has not taken what is there: {error}")

    def check(self) -> None:
        """Raise ``NumaConformanceError`` with its last words where it has ended."""
        if self.ended is not None:
            raise NumaConformanceError(self.failed(self.ended))


def reserved(kubelet: Mapping[str, Any]) -> str:
    """Return the CPUs that a configuration reserves by their ids."""
    return str(kubelet.get("reservedSystemCPUs") or "")
