"""When, where and how a run was made. This changes from run to run, so it is a file of its own."""

import os
import platform
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeVar

import msgspec

from ..errors import Fault, UsageError
from ..files import read_bounded

F = TypeVar("F", bound=msgspec.Struct)


def read_form(file: Path, form: type[F], most: int, otherwise: str) -> F:
    """Read a file of at most so many bytes; raises ``UsageError``, which says what it is ``otherwise``, and why."""
    try:
        return msgspec.json.decode(read_bounded(file, most), type=form)
    except OSError as error:
        raise UsageError(Fault(str(file), f"cannot be read: {error.strerror or error}")) from error
    except (ValueError, RecursionError) as error:  # what is no UTF-8 is no error of msgspec's own
        raise UsageError(Fault(str(file), f"{otherwise}: {error}")) from error


REPORT, FILE = "report.json", "run.json"
MAX_BYTES = 1024 * 1024
"""Of a run.json that is read at most."""
_PATIENCE = 5.0
"""Seconds that git may take."""


class Circumstances(msgspec.Struct, frozen=True, omit_defaults=True):
    """When a run began (ISO 8601, UTC), how long it took (seconds), and what was called where.

    ``target`` are the options with which ``numa-conformance replay`` asks the same target.
    ``revision`` is git's, of the folder in which it was called, and ``folder`` that of the report, as it was named
    there.
    """

    began: str
    seconds: float | None = None
    command: str = ""
    target: str = ""
    host: str = ""
    system: str = ""
    python: str = ""
    revision: str = ""
    folder: str = ""

    @classmethod
    def of(
        cls, began: float, seconds: float, command: str, target: str = "", revision: str = "", folder: str = ""
    ) -> "Circumstances":
        """Describe this process since ``began`` (seconds since 1970); SOURCE_DATE_EPOCH fixes date, time and host."""
        fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
        made_again = fixed.isdecimal()
        when = datetime.fromtimestamp(int(fixed) if made_again else began, timezone.utc)
        return cls(
            when.isoformat(timespec="seconds").replace("+00:00", "Z"),
            None if made_again else round(seconds, 1),
            command,
            target,
            "" if made_again else platform.node(),
            f"{platform.system()} {platform.machine()}",
            platform.python_version(),
            revision,
            folder,
        )

    def to_json(self) -> str:
        """Return the text of ``run.json``."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


def report_file(path: Path) -> Path:
    """Return the file of a report, which may be named by its folder."""
    return path / REPORT if path.is_dir() else path


def read_circumstances(report: Path) -> Circumstances | None:
    """Read what stands beside a report.json, or in its folder; None where nothing does. Raises ``UsageError``."""
    file = report_file(report).parent / FILE
    return read_form(file, Circumstances, MAX_BYTES, "is not about a run") if file.exists() else None


def revision_of(folder: Path) -> str:
    """Return git's name for what a folder holds, ``-dirty`` where it was changed since; empty without git."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
