"""Temporary folders that go with the process that made them, however it ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import weakref
from pathlib import Path

_AFTERWARDS = """
while read -r told; do group=$told; done
[ -z "$group" ] || kill -s KILL -- "-$group"
sleep 1
rm -rf -- "$1"
"""
"""What a shell does that waits for this process. What it has started besides may write for a moment longer."""
_SHORT = 24
"""Characters of a place below which sockets fit: their paths have 107 at most, and lie up to 80 below."""


class OwnFolder:
    """A folder below the system's for temporary files, which its owner closes.

    A process that is killed cannot remove what it has made. So a shell waits for the end of a pipe of which this
    process has the other end, and removes the folder then. It is in a session of its own, and inherits no environment:
    what kills the owner's session, or all that bear a mark, does not kill it. Where a system has no such shell, a
    folder whose owner is killed stays.
    """

    def __init__(self, prefix: str, *, for_sockets: bool = False) -> None:
        """Make it, its name beginning so; ``for_sockets``: where paths are short, be that below ``/tmp``."""
        too_long = for_sockets and len(tempfile.gettempdir()) > _SHORT
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp" if too_long else None))
        self._waiting: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(FileNotFoundError):
            self._waiting = subprocess.Popen(
                ["/bin/sh", "-c", _AFTERWARDS, "sh", str(self.path)], bufsize=0, stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": os.defpath}, cwd="/",
                start_new_session=True,
            )  # fmt: skip
        self._remove = weakref.finalize(self, _remove, self.path, self._waiting)

    def ends_with_us(self, group: int | None) -> None:
        """Have a process group killed before the folder goes, where its owner is killed; None: none any more."""
        if self._waiting is not None and self._waiting.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._waiting.stdin.write(b"\n" if group is None else b"%d\n" % group)

    def close(self) -> None:
        """Remove it; once more is no error. An owner that forgets it, or ends, removes it too."""
        self._remove()


def _remove(path: Path, waiting: subprocess.Popen[bytes] | None) -> None:
    shutil.rmtree(path, ignore_errors=True)
    if waiting is not None:
        waiting.kill()
        waiting.communicate()
