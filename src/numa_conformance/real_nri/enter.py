"""``python -m numa_conformance.real_nri.enter MACHINE.json FOLDER COMMAND...``: on a machine, beside a runtime.

What COMMAND reads below ``/sys`` and ``/proc`` is the machine's; ``/var/run/nri`` is FOLDER. Nothing of that is seen by
others, and nothing that it writes below ``/run`` reaches the host.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from ..errors import UsageError
from ..hostfs import enter_machine
from ..hostfs.namespaces import bind, mount_memory
from ..machine import machine_from_dict

__all__ = ["NOT_ALLOWED", "enter"]

NOT_ALLOWED, NOT_FOUND = 77, 127
"""Exit codes: the system lets nobody have mounts of their own; there is no such program."""

_MEBIBYTES = 16


def enter(machine: str, folder: str, *words: str) -> None:
    """Become the program; raises ``UsageError`` where that is not allowed, ``OSError`` where it cannot be run."""
    described = machine_from_dict(json.loads(Path(machine).read_text(encoding="utf-8")), "machine")
    enter_machine(described, become_root=True)
    kept = os.open(folder, os.O_PATH | os.O_DIRECTORY)  # it may lie where nothing is seen in a moment
    run = Path("/var/run").resolve()
    mount_memory(str(run), _MEBIBYTES)
    (run / "nri").mkdir()
    bind(f"/proc/self/fd/{kept}", str(run / "nri"))
    os.execvp(words[0], words)


if __name__ == "__main__":
    try:
        enter(*sys.argv[1:])
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NOT_ALLOWED)
    except OSError as error:
        sys.stderr.write(f"{sys.argv[3]}: {error.strerror}\n")
        sys.exit(NOT_FOUND)
