"""Reading what the suite wrote as JSON, wherever the file comes from."""

from __future__ import annotations

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
