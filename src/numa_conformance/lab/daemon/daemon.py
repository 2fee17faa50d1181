"""An unmodified daemon: a command that is started before stand-ins of what it talks to, and what it says."""

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from ...errors import Fault, UsageError, closest
from ...files import TemporaryFolder, end_of
from ...wire import Unsupported
from ...wire.messages.describe import PROTOCOL, Description
from ...wire.values import Absence
from .enter import NOT_ALLOWED, SHARED, entering

HOST = "{host_root}"
"""What stands in a command for a tree with ``/sys`` and ``/proc`` of the machine."""
LONGEST = 500
"""Characters of what a daemon says, or of an error, that are told."""
MOST_RESTARTS = MOST_IN_VAIN = 3
"""How often a program that has ended is started again while something is waited for; after so many vain waits, never.
"""
_LOOK_SECONDS, _END_SECONDS = 0.01, 1.0
_BY_SIGNAL = 128
"""Above it a shell tells that a signal ended what it ran."""
_CRASHED = re.compile(
    r"^(panic: |fatal error: |goroutine \d+ \[|Traceback \(most recent|thread '.*' panicked at)", re.MULTILINE
)
"""What programs in Go, Python and Rust write when they crash."""
_PLACEHOLDER = re.compile(r"(?<![${])\{([a-z_]+)\}(?!\})")
"""Not ``${variable}`` of a shell, nor ``{{template}}``."""


class Daemon:
    """Starts a command, anew after each ``end``; ``home`` is a folder for what stands around it.

    A command in which the place stands is told where all is. Any other sees the machine below ``/sys`` and ``/proc``,
    and the stand-ins where they always are. Each start has a private network, where the system allows it. A program
    that ends by itself is started again, as of a DaemonSet, without the pauses of a kubelet.
    """

    shares_network = False

    def __init__(self, kind: str, words: Sequence[str], placeholders: Sequence[str], unsupported: str = "") -> None:
        """Take what it is for a person, such as ``plugin``, its command, and what may stand in that, the place first.

        ``unsupported``: a regular expression for the words by which it says that it does not support a machine; empty
        where it has none. Raises ``UsageError``.
        """
        self._kind, self._words, self._place = kind, list(words), placeholders[0]
        check_command(self._words, placeholders)
        try:
            self._outside = re.compile(unsupported, re.MULTILINE) if unsupported else None
        except re.error as error:
            fault = Fault("--unsupported", f"{unsupported!r}: {error}", "a regular expression of Python")
            raise UsageError(fault) from error
        self._folder = TemporaryFolder(f"{kind}-", for_sockets=True)
        self.home = self._folder.path
        self._log = self.home / "daemon.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._in_vain = 0
        self.restarts = 0
        """How often it has been started again since ``take_restarts``."""
        self.absence: Absence | None = None
        """``ended`` where what was last waited for has not happened."""

    def described(self, surface: str, features: Sequence[str]) -> Description:
        """Say who this is."""
        wants: list[Literal["host_root"]] = ["host_root"] if self.takes_parameters else []
        return Description(
            name_of(self._words), "of an unknown version", PROTOCOL, [surface], list(features), wants=wants
        )

    @property
    def takes_parameters(self) -> bool:
        """Whether it is told where all is."""
        return self.names(self._place)

    def names(self, placeholder: str) -> bool:
        """Tell whether something stands in the command."""
        return any(placeholder in word for word in self._words)

    def start(
        self,
        machine: Mapping[str, Any],
        places: Mapping[Path, str],
        values: Mapping[str, str],
        environment: Mapping[str, str] | None = None,
        port: int = 0,
        listens: Callable[[socket.socket], None] = socket.socket.close,
    ) -> None:
        """Start it: on a machine, with folders at their places, and what becomes of placeholders in its command.

        ``listens`` takes a socket at ``port`` of the loopback address in the private network.
        """
        self.absence = None
        file = None if self.takes_parameters else self.home / "machine.json"
        if file is not None:
            file.write_text(json.dumps(machine))
        self._listens, self._environment = listens, {**os.environ, **(environment or {})}
        self._entering = partial(entering, port=port, machine=file, places=places if file else {})
        self._filled = [filled_in(word, values) for word in self._words]
        self._launch()

    def _launch(self) -> None:
        ours, theirs = socket.socketpair()
        channel = theirs.fileno()
        with ours:
            with theirs, self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [*self._entering(channel), *self._filled], env=self._environment, pass_fds=[channel],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                )  # fmt: skip
            self._folder.end_with_owner(self._process.pid)
            answer, descriptors, _, _ = socket.recv_fds(ours, 16, 1)
        for descriptor in descriptors:
            self._listens(socket.socket(fileno=descriptor))
        if answer == SHARED and not Daemon.shares_network:
            Daemon.shares_network = True
            sys.stderr.write("no private networks are allowed here: programs share the ports of the host\n")

    def wait(self, happens: Callable[[], object], seconds: float, what: str) -> str | None:
        """Wait until something happens, and return why it has not: it has ended too often, or the time is over.

        Raises ``UsageError`` where the system does not let it see the machine.
        """
        end, restarts = time.monotonic() + seconds, 0
        most = MOST_RESTARTS if self._in_vain < MOST_IN_VAIN else 0
        while time.monotonic() < end:
            if happens():
                self._in_vain = 0
                return None
            if self.status == NOT_ALLOWED and not self.takes_parameters:
                accepted = f"a command in which {self._place} stands, and {HOST} where the {self._kind} reads its host"
                raise UsageError(Fault("", self._last_words, accepted))
            if self.ended is not None:
                if restarts == most or self._refusal is not None:
                    break
                restarts += 1
                self.restarts += 1
                self._launch()
            time.sleep(_LOOK_SECONDS)
        self.absence = "ended"
        self._in_vain += 1
        late = f"the {self._kind} has not {what} within {seconds:g} s"
        again = f", also after {restarts} restarts" if restarts else ""
        return self.failed(late if self.ended is None else f"{self.ended}{again}, and has not {what}")

    def take_restarts(self) -> int:
        """Return how often it has been started again since this was last called."""
        restarts, self.restarts = self.restarts, 0
        return restarts

    @property
    def ended(self) -> str | None:
        """How it has ended; None while it runs."""
        return None if self.status is None else f"the {self._kind} has ended with exit status {self.status}"

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs, or was never started."""
        return None if self._process is None else self._process.poll()

    def failed(self, why: str) -> str:
        """Add its last words to why it failed."""
        return f"{why}. It said: {self._last_words}" if self._last_words else why

    def check_support(self) -> None:
        """Raise ``Unsupported`` where what has not come up said that it does not support the machine."""
        if self._refusal is not None:
            raise Unsupported(self._refusal)

    @property
    def _refusal(self) -> str | None:
        """The words by which it does not support the machine. A crash is a crash, whatever was said before it."""
        crashed = self.status is not None and (self.status < 0 or self.status > _BY_SIGNAL)
        if self._outside is None or crashed or _CRASHED.search(self._log_text):
            return None
        matches = [line for line in self._log_text.splitlines() if self._outside.search(line)]
        return matches[-1].strip() if matches else None

    @property
    def _last_words(self) -> str:
        text = self._log_text.strip()
        last = text[-LONGEST:]
        return last if last == text else last.partition("\n")[2] or last

    @property
    def _log_text(self) -> str:
        return end_of(self._log)

    def end(self) -> None:
        """End it, and what it has started."""
        if self._process is not None:
            for number, seconds in ((signal.SIGTERM, _END_SECONDS), (signal.SIGKILL, None)):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(seconds)  # who is killed ends, on a busy machine late
                    break
            self._folder.end_with_owner(None)
        self._process = None

    def close(self) -> None:
        """End it, and remove its folder."""
        self.end()
        self._folder.close()


def check_command(words: Sequence[str], placeholders: Sequence[str]) -> None:
    """Refuse a command whose program is not there, and one with a placeholder that is nearly one.

    Other braces are a shell's, or the daemon's own.
    """
    if "{" not in words[0] and shutil.which(words[0]) is None:
        raise UsageError(Fault(words[0], "there is no such program", "a path, or a name in PATH"))
    known = [name.strip("{}") for name in placeholders]
    for name in (name for word in words for name in _PLACEHOLDER.findall(word) if name not in known):
        if near := closest(name, known):
            accepted = ", ".join(placeholders)
            raise UsageError(Fault(f"{{{name}}}", "stands for nothing in this command", accepted, f"{{{near}}}"))


def filled_in(word: str, values: Mapping[str, str]) -> str:
    """Return a word of a command in which what stands for something is replaced."""
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def serving(door: str, daemon: str, *options: str) -> str:
    """Return the command line of a door, such as ``nri``, for a daemon's, as a shell would split them."""
    return f"{shlex.join([sys.executable, '-m', 'numa_conformance', 'serve', door, *options, '--'])} {daemon}"


def serving_kubelet(binary: str) -> str:
    """Return the command line for the kubelet at a path."""
    return shlex.join([sys.executable, "-m", "numa_conformance", "serve", "kubelet", binary])


def name_of(words: Sequence[str]) -> str:
    """Return what a program is called by the words of its command: ``plugin``, or ``python3 plugin.py``."""
    program, *others = words
    script = takewhile(lambda word: not word.startswith("-") and "{" not in word, others[:1])
    return " ".join(Path(word).name for word in (program, *script))
