"""Serving a node on the sockets of a kubelet until told to stop."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from ...errors import UsageError
from ...kube import Pod, files_of, read_cluster
from ..kubelet_apis.interfaces import serve
from .agent import NodeAgent, Tell, line
from .pod_resources import RateLimit, pod_resources_service
from .registration import DevicePlugins
from .root import AgentRoot, private_sockets


class ServedNode:
    """An agent on its sockets, with the pods of files. A context: on leaving it the sockets are gone."""

    def __init__(self, agent: NodeAgent, root: AgentRoot, files: PodFiles, tell: Tell) -> None:
        """Admit the pods, and serve; raises ``UsageError``."""
        self._agent = agent
        self._root = root
        self._files = files
        self._tell = tell
        self._reload = threading.Event()
        self._plugins = DevicePlugins(agent, root.device_plugins, tell)
        self._take(*files.read())
        with private_sockets():
            self._servers = [
                serve(str(root.pod_resources), pod_resources_service(agent), interceptors=[RateLimit()]),
                serve(str(root.registration), self._plugins.service()),
            ]

    def read_again(self) -> None:
        """Have the pods read again at the next pass, changed or not."""
        self._reload.set()

    def keep_up(self) -> None:
        """Make one pass: take over what has changed in the files; files with faults change nothing."""
        self._plugins.forget_gone()
        if not (self._files.changed() or self._reload.is_set()):
            return
        self._reload.clear()
        try:
            self._take(*self._files.read())
        except (UsageError, OSError) as error:
            faults = error.faults if isinstance(error, UsageError) else [error]
            for fault in faults:
                self._tell(f"the pods stay as they were: {line(str(fault))}")

    def close(self) -> None:
        """Stop serving and remove the sockets."""
        for stopped in [server.stop(1) for server in self._servers]:
            stopped.wait()
        self._plugins.close()
        self._root.close()

    def __enter__(self) -> ServedNode:
        """Return the node itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Stop serving."""
        self.close()

    def _take(self, pods: list[Pod], notices: tuple[str, ...]) -> None:
        for text in notices:
            self._tell(text)
        self._agent.want(pods)


_Stamp = tuple[str, int, int, int]


class PodFiles:
    """Files and folders with pods, as ``simulate`` takes them; those that are gone and empty folders hold none."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Take the paths."""
        self._paths = paths
        self._stamps: list[_Stamp] = []

    def read(self) -> tuple[list[Pod], tuple[str, ...]]:
        """Return the pods in order, and what was left out of the files; raises ``UsageError``."""
        self._stamps = self._look()
        files = [file for path in self._paths if path.exists() for file in files_of(path)]
        if not files:
            return [], ()
        objects = read_cluster(*files)
        return list(objects.pods), objects.notices

    def changed(self) -> bool:
        """Tell whether a file came, went or was written since ``read``."""
        return self._look() != self._stamps

    def _look(self) -> list[_Stamp]:
        stamps = []
        for path in self._paths:
            with contextlib.suppress(OSError):  # it may go while we look
                for file in files_of(path):
                    status = os.stat(file)
                    stamps.append((file, status.st_ino, status.st_mtime_ns, status.st_size))
        return stamps
