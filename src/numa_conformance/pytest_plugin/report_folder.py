"""The folder for reports belongs to one run at a time: two would remove and replace each other's files."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

import pytest

from .run import RUN


class ReportFolder:
    """Holds the folder from the first case to the end; the system lets go of it when the process is killed."""

    _held: int | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Take the folder; raises ``UsageError`` where another run has it. One that takes no files is told later."""
        config = session.config
        folder = config.stash[RUN].report
        if not folder or hasattr(config, "workerinput") or config.option.collectonly:
            return
        with contextlib.suppress(OSError):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if self._held is None:
            return
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise pytest.UsageError(f"--numa-report: another run is writing to {folder}; name another folder") from None
        except OSError:
            return  # a file system without locks

    def pytest_unconfigure(self) -> None:
        """Let go of the folder, for processes that were forked too."""
        if self._held is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._held, fcntl.LOCK_UN)
            os.close(self._held)
            self._held = None
