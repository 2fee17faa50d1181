"""Programs that Go has built for this package: one folder of the user, one build at a time, nothing of a killed one."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from .errors import Fault, UsageError
from .files import TemporaryFolder

_LOCK = ".lock"


def cache_folder() -> Path:
    """Return the folder, which need not be there."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "numa-conformance"


def cached() -> list[Path]:
    """Return what lies in the folder, sorted by name."""
    return sorted(path for path in cache_folder().glob("*") if path.name != _LOCK)


@contextlib.contextmanager
def alone_in_cache() -> Iterator[Path]:
    """Wait until nobody else builds or clears, and yield the folder; the lock of a killed process is gone with it.

    Raises ``UsageError`` for a folder, or a link to one, that another user has made, and ``OSError``.
    """
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    if {folder.stat().st_uid, folder.lstat().st_uid} != {os.geteuid()}:
        raise UsageError(Fault(str(folder), "is another user's", "a folder of yours below XDG_CACHE_HOME"))
    handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    with os.fdopen(handle, "rb+", buffering=0) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # a copy of this process may have it open


def clear_cache() -> list[Path]:
    """Remove what is in the folder, once no build runs, and return what it was."""
    with alone_in_cache():
        for path in (left := cached()):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    return left


def run_go(
    folder: TemporaryFolder,
    *words: str,
    source: Path | None = None,
    follow: Callable[[Iterable[str]], Iterable[str]] = lambda lines: lines,
    accepted: str,
) -> str:
    """Run Go, which ends with this process and leaves nothing; return what it prints.

    ``source``: where it runs, by default in ``folder``. Raises ``UsageError``, which names what is ``accepted``.
    """
    environment = {key: value for key, value in os.environ.items() if key != "GOFLAGS"}
    environment["GOTMPDIR"] = str(folder.path)
    printed = folder.path / "printed"
    with printed.open("w") as output, subprocess.Popen(
        ["go", *words], cwd=source or folder.path, env=environment, stdout=output, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as go:  # fmt: skip
        folder.end_with_owner(go.pid)
        assert go.stderr is not None
        try:
            last = deque((line for line in follow(go.stderr) if not line.startswith("go: downloading")), 3)
        except BaseException:
            os.killpg(go.pid, signal.SIGKILL)
            raise
    folder.end_with_owner(None)
    if go.returncode:
        raise UsageError(Fault(f"go {words[0]}", f"failed: {' '.join(' '.join(last).split())[-500:]}", accepted))
    return printed.read_text()
