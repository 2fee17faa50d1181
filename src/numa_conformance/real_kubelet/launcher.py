"""Starting kubelets on machines that are not there, from a process that was forked while there was one thread.

What becomes a kubelet needs mounts of its own before. A Python of its own for each would take longer to start than
the kubelet; a fork of this process, once it serves gRPC from many threads, would not be safe.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..hostfs.namespaces import bind, mount_memory
from ..hostfs.on_machine import enter_machine
from ..machine import machine_from_dict

__all__ = ["HOME", "Launcher"]

HOME = "/var/lib/kubelet"
"""Where a kubelet keeps its sockets for device plugins, whatever its root folder is called."""
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_KERNEL_PARAMETERS = ("vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
                      "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes")  # fmt: skip


class Launcher:
    """The process that starts kubelets. It ends with ours, and they end with it."""

    def __init__(self) -> None:
        """Fork it; this process must have one thread."""
        ours, theirs = socket.socketpair()
        if os.fork() == 0:
            ours.close()
            _serve(theirs)
        theirs.close()
        self._channel = ours.makefile("rwb")

    def start(self, machine: dict[str, Any], node: Path, binary: str, flags: Sequence[str]) -> int:
        """Start a kubelet whose home is the folder ``node``, and its log there; return its number."""
        return int(self._ask(start=[machine, str(node), binary, *flags]))

    def has_ended(self, number: int) -> bool:
        """Tell whether a kubelet has ended."""
        return bool(self._ask(has_ended=number))

    def end(self, number: int) -> None:
        """End a kubelet, unless it has."""
        self._ask(end=number)

    def _ask(self, **question: Any) -> Any:
        self._channel.write(json.dumps(question).encode() + b"\n")
        self._channel.flush()
        return json.loads(self._channel.readline())


def _serve(other: socket.socket) -> None:
    """Answer until the other side is gone, and end."""
    channel = other.makefile("rwb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended: set[int] = set()
    for line in channel:
        ((verb, value),) = json.loads(line).items()
        if verb == "start":
            answer: int | bool = _fork_kubelet(*value)
        else:
            if verb == "end" and value not in ended:
                os.kill(value, signal.SIGKILL)
            if value not in ended and os.waitpid(value, 0 if verb == "end" else os.WNOHANG)[0]:
                ended.add(value)
            answer = value in ended
        channel.write(json.dumps(answer).encode() + b"\n")
        channel.flush()
    os._exit(0)


def _fork_kubelet(*words: Any) -> int:
    number = os.fork()
    if number:
        return number
    try:
        _become_kubelet(*words)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def _become_kubelet(machine: dict[str, Any], node: str, binary: str, *flags: str) -> None:
    """Lay the machine and the node's folder over what this process sees, and become the kubelet.

    Nothing that it writes below ``/var/lib`` and ``/var/log``, or to kernel parameters, reaches the host.
    """
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    log = os.open(f"{node}/kubelet.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    sys.stderr = os.fdopen(2, "w", closefd=False)
    binary = os.path.abspath(binary)
    file = os.open(binary, os.O_RDONLY | os.O_CLOEXEC)  # it may lie where nothing is seen in a moment
    enter_machine(machine_from_dict(machine, "machine"))
    mount_memory("/var/lib", 64)
    mount_memory("/var/log", 64)
    Path(HOME).mkdir()
    bind(node, HOME)
    _cover_kernel_parameters()
    # A kubelet that is told no path of a container's log removes all that lies in its working directory.
    Path("/var/lib/nothing").mkdir()
    os.chdir("/var/lib/nothing")
    os.execve(binary if os.path.exists(binary) else file, ["kubelet", *flags], os.environ)


def _cover_kernel_parameters() -> None:
    """Let the kubelet set what it sets in files of its own, not in the kernel."""
    for number, name in enumerate(_KERNEL_PARAMETERS):
        place = Path("/proc/sys", name)
        if place.exists():
            own = Path("/var/lib", str(number))
            own.write_text(place.read_text())
            bind(str(own), str(place))
