"""The runtime's side of NRI: the small program in Go that speaks it, built on first use, and how it is asked."""

import contextlib
import hashlib
import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...builds import alone_in_cache, cache_folder, run_go
from ...errors import Fault, NumaConformanceError, UsageError
from ...files import TemporaryFolder, replace_bytes

_SOURCE = Path(__file__).parent / "runtime"
_NEEDED = "Go 1.24 or newer: the runtime's side of NRI is built with it on first use"
_END_SECONDS = 2.0


class NriError(NumaConformanceError):
    """A plugin, or the library that speaks with it, answered with an error."""


def built() -> Path:
    """Return the program, built into the cache folder where it is not there yet; raises ``UsageError`` without Go."""
    texts = [file.read_bytes() for file in sorted(_SOURCE.iterdir())]
    program = cache_folder() / f"nri-runtime-{hashlib.sha256(b''.join(texts)).hexdigest()[:12]}"
    if program.exists():
        return program
    if shutil.which("go") is None:
        raise UsageError(Fault("go", "there is no such program", _NEEDED))
    with alone_in_cache(), contextlib.closing(TemporaryFolder("build-")) as workshop:
        if not program.exists():
            made = workshop.path / "program"
            words = ("build", "-trimpath", "-mod=readonly", "-o", str(made), ".")
            run_go(workshop, *words, source=_SOURCE, accepted=_NEEDED)
            replace_bytes(program, made.read_bytes(), mode=0o777)
    return program


class RuntimeSide:
    """Serves NRI on a socket, and passes on to the plugins there what happens to pods and containers.

    ``registrations``: how many plugins have registered.
    """

    def __init__(self, program: Path, socket: Path, none: Path) -> None:
        """Start the program; ``none`` is a folder in which no plugins and no configurations lie."""
        self.registrations = 0
        self._lines: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [program, socket, none], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._unasked: list[dict[str, Any]] = []

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            line = json.loads(text)
            self.registrations += bool(line.get("registered"))
            self._lines.put(line)
        self._lines.put({"error": "the runtime's side has ended"})

    def call(self, name: str, known: Mapping[str, Any] | None = None, **message: Any) -> Mapping[str, Any]:
        """Tell the plugins what happens, and return their answer; raises ``NriError`` where they refuse.

        ``known`` is what plugins that register later are told of.
        """
        assert self._process.stdin is not None
        request = {"call": name, "with": message, **({} if known is None else {"known": known})}
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        while True:
            line = self._lines.get()
            if "answer" in line:
                return line["answer"] or {}
            if "registered" not in line and "error" in line:
                raise NriError(line["error"])
            self._unasked.append(line)

    def registered(self, seconds: float) -> bool:
        """Wait for a plugin; False where none has registered in this time. Raises ``NriError`` where it refuses."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            return False
        if "error" in line:
            raise NriError(line["error"])
        self._unasked.append(line)
        return bool(line.get("registered"))

    def updates(self) -> Iterator[Mapping[str, Any]]:
        """Yield what plugins have changed unasked since it was looked for last."""
        while not self._lines.empty():
            self._unasked.append(self._lines.get())
        unasked, self._unasked = self._unasked, []
        for line in unasked:
            yield from line.get("updates", ())

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join()
        self._process.stdout.close()
