"""The stream of a plugin's lists, read as long as the plugin lives: a kubelet never ends it while it runs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Any

import grpc

from ...wire.messages.plugin import OfferedDevice, PluginFailed

LIST_SECONDS, MORE_SECONDS = 3.0, 1.0
"""How long a first list is awaited, and one with devices behind a first one that has none."""
_MOST_LISTS = 16
"""Lists that are kept until the next answer tells them: older ones have been replaced by then."""

Devices = list[OfferedDevice]


class DeviceLists:
    """Reads each list on a thread, until the stream ends."""

    def __init__(self, stream: Iterator[Any]) -> None:
        """Take the stream of ``ListAndWatch``."""
        self._stream = stream
        self._changed = threading.Condition()
        self._new: deque[Devices] = deque(maxlen=_MOST_LISTS)
        self._ended = False
        self._error: grpc.RpcError | None = None
        threading.Thread(target=self._read, name="lists of a device plugin", daemon=True).start()

    def _read(self) -> None:
        error = None
        try:
            for answer in self._stream:
                with self._changed:
                    self._new.append([_device(device) for device in answer.devices])
                    self._changed.notify_all()
        except grpc.RpcError as broken:
            error = broken
        with self._changed:
            self._ended, self._error = True, error
            self._changed.notify_all()

    def first(self) -> Devices | PluginFailed:
        """Wait for a list, a while longer where it has no devices: a plugin may still be looking for them.

        Raises ``grpc.RpcError`` where the stream breaks before.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._new or self._ended, LIST_SECONDS):
                return PluginFailed(f"ListAndWatch sends no list within {LIST_SECONDS:g} s")
            if not self._new:
                if self._error is not None:
                    raise self._error
                return PluginFailed("ListAndWatch ends without a list")
            self._changed.wait_for(lambda: any(self._new) or self._ended, MORE_SECONDS)
        return self.later()[-1]

    def later(self, seconds: float = 0.0) -> list[Devices]:
        """Return the lists that have come since the last call; wait so long for one."""
        with self._changed:
            self._changed.wait_for(lambda: self._new or self._ended, seconds)
            lists = list(self._new)
            self._new.clear()
        return lists


def _device(device: Any) -> OfferedDevice:
    nodes = [node.ID for node in device.topology.nodes] if device.HasField("topology") else None
    return OfferedDevice(device.ID, device.health, nodes)
