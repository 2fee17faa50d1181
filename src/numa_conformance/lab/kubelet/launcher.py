"""Starting kubelets on machines that are not there, and programs beside them, from a process of one thread.

What becomes a kubelet needs mounts of its own before. A Python of its own for each would take longer to start than the
kubelet. A fork of the process that serves gRPC from many threads would not be safe.
"""

import json
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...machine import machine_from_dict
from ...machine.hostfs.on_machine import enter_machine
from ...namespaces import bind, end_with_parent, enter_mount_namespace, join_mount_namespace, lay, mount_memory

HOME = "/var/lib/kubelet"
"""Where a kubelet keeps its sockets for device plugins, whatever its root folder is called."""
RUN = Path("/var/run")
OF_RUNTIME = ("cdi", "nri")
"""Folders of a node where a container runtime looks for CDI devices, and serves NRI: those below ``/var/run``."""
NOTHING = "/var/lib/nothing"
"""An empty folder that a kubelet sees."""
_BY_SIGNAL = 128
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
        self._lock = threading.Lock()

    def start(self, machine: dict[str, Any], node: Path, binary: str, flags: Sequence[str]) -> int:
        """Start a kubelet whose home is the folder ``node``, and its log there; return its number."""
        return int(self._ask(start=[machine, str(node), binary, *flags]))

    def run(
        self,
        log: Path,
        words: Sequence[str],
        settings: Mapping[str, str] | None = None,
        *,
        place: tuple[int, Path] | None = None,
        mounts: Sequence[tuple[str, str]] = (),
    ) -> int:
        """Start any program, what it says in a file, with settings in its environment, and return its number.

        ``place``: a kubelet, or a program, of which it sees the files, and the folder in which it starts; it leads a
        group then. ``mounts``: files and folders there that it sees at other places, each before its place.
        """
        kubelet, folder = place or (None, "")
        return int(self._ask(run=[str(log), kubelet, str(folder), settings or {}, list(mounts), *words]))

    def code(self, number: int) -> int | None:
        """Return the exit code of a kubelet, or of another program; None while it runs."""
        answer = self._ask(code=number)
        return None if answer is None else int(answer)

    def has_ended(self, number: int) -> bool:
        """Tell whether a kubelet, or another program, has ended."""
        return self.code(number) is not None

    def end(self, number: int) -> None:
        """End a kubelet, or another program, unless it has."""
        self._ask(end=number)

    def _ask(self, **question: Any) -> Any:
        with self._lock:
            self._channel.write(json.dumps(question).encode() + b"\n")
            self._channel.flush()
            return json.loads(self._channel.readline())


def _serve(other: socket.socket) -> None:
    """Answer until the other side is gone, and end. No signal of the terminal comes here: ours ends us."""
    os.setsid()
    channel = other.makefile("rwb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    running: set[int] = set()
    codes: dict[int, int] = {}
    answer: int | None
    for line in channel:
        ((verb, value),) = json.loads(line).items()
        if verb in _BECOME:
            answer = started = _fork(_BECOME[verb], *value)
            running.add(started)
        else:
            if verb == "end" and value in running:
                os.kill(value, signal.SIGKILL)
            if value in running and any(ended := os.waitpid(value, 0 if verb == "end" else os.WNOHANG)):
                running.remove(value)
                code = os.waitstatus_to_exitcode(ended[1])
                codes[value] = code if code >= 0 else _BY_SIGNAL - code
            answer = codes.get(value)
        channel.write(json.dumps(answer).encode() + b"\n")
        channel.flush()
    for number in running:  # waited for, so that nothing is left to a first process that may wait for nobody
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
    os._exit(0)


def _fork(become: Callable[..., None], *words: Any) -> int:
    number = os.fork()
    if number:
        return number
    end_with_parent(signal.SIGKILL)
    try:
        become(*words)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def _become_kubelet(machine: dict[str, Any], node: str, binary: str, *flags: str) -> None:
    """Lay the machine and the node's folder over what this process sees, and become the kubelet.

    Nothing that it writes below ``/var/lib``, ``/var/log`` and ``/run``, or to kernel parameters, reaches the host.
    """
    _speak_into(f"{node}/kubelet.log")
    binary = os.path.abspath(binary)
    file = os.open(binary, os.O_RDONLY | os.O_CLOEXEC)  # it may lie where nothing is seen in a moment
    enter_machine(machine_from_dict(machine, "machine"))
    for place in ("/var/lib", "/var/log", str(RUN.resolve())):
        mount_memory(place, 64)
    Path(HOME).mkdir()
    bind(node, HOME)
    for name in OF_RUNTIME:
        (RUN / name).mkdir()
        bind(f"{node}/{name}", str(RUN / name))
    _cover_kernel_parameters()
    # A kubelet that is told no path of a container's log removes all that lies in its working directory.
    Path(NOTHING).mkdir()
    os.chdir(NOTHING)
    os.execve(binary if os.path.exists(binary) else file, ["kubelet", *flags], os.environ)


def _become_program(
    log: str,
    kubelet: int | None,
    folder: str,
    settings: Mapping[str, str],
    mounts: Sequence[tuple[str, str]],
    *words: str,
) -> None:
    _speak_into(log)
    try:
        if kubelet is not None:
            os.setsid()
            join_mount_namespace(kubelet)
            if mounts:
                enter_mount_namespace()
                lay(mounts, NOTHING)
            os.chdir(folder)
        os.execvpe(words[0], words, {**os.environ, **settings})
    except OSError as error:
        print(f"{words[0]}: {os.strerror(error.errno or 0)}", file=sys.stderr, flush=True)  # noqa: T201  (its log)


def _speak_into(log: str) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    sys.stderr = os.fdopen(2, "w", closefd=False)


_BECOME: dict[str, Callable[..., None]] = {"start": _become_kubelet, "run": _become_program}


def _cover_kernel_parameters() -> None:
    """Let the kubelet set what it sets in files of its own, not in the kernel."""
    for number, name in enumerate(_KERNEL_PARAMETERS):
        place = Path("/proc/sys", name)
        if place.exists():
            stand_in = Path("/var/lib", str(number))
            stand_in.write_text(place.read_text())
            bind(str(stand_in), str(place))
