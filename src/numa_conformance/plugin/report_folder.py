"""The folder for reports belongs to one run at a time, from before its first question.

Two would remove and replace each other's files. What an earlier run has left would speak for one that dies.
"""

import contextlib
import fcntl
import os
from pathlib import Path

import pytest

from ..asking.profiles import Profile
from ..errors import UsageError
from ..files import write_text
from ..sources.versions import DEFAULT
from .options import NAMING, setting


class ReportFolder:
    """Holds the folder until the end; the system lets go of it when the process is killed."""

    _held: int | None = None

    def take(self, config: pytest.Config) -> None:
        """Take the folder and report a run that is not finished; raises ``UsageError`` if another run has it."""
        if hasattr(config, "workerinput") or config.option.collectonly or setting(config, "numa_list"):
            return
        folder, markdown = setting(config, "numa_report"), setting(config, "numa_markdown")
        if folder:
            self._lock(folder)
        if folder or markdown:
            _write_report_under_way(config, folder, markdown)

    def _lock(self, folder: str) -> None:
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
        """Let go of the folder when the run is over."""
        self.close()

    def close(self) -> None:
        """Let go of the folder, for processes that were forked too."""
        if self._held is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._held, fcntl.LOCK_UN)
            os.close(self._held)
            self._held = None


def _write_report_under_way(config: pytest.Config, folder: str, markdown: str) -> None:
    # Templates cost each worker of xdist its start.
    from ..report.writers import markdown_text, report_under_way, write_reports

    target = next((value for name in NAMING if (value := setting(config, f"numa_{name}"))), "the bundled reference")
    version = Profile.parse(setting(config, "numa_profile"), DEFAULT).version
    summary = report_under_way(target, setting(config, "numa_level"), str(version))
    with contextlib.suppress(UsageError):
        if folder:
            write_reports(summary, Path(folder))
        if markdown:
            write_text(Path(markdown), markdown_text(summary))
