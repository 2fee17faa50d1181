"""``python -m numa_conformance.real_dra.enter MACHINE.json HOME COMMAND...``: on a machine, beside a kubelet.

What COMMAND reads below ``/sys`` and ``/proc`` is the machine's. Below HOME lie the folders that it finds at
``/var/lib/kubelet``, ``/var/run/cdi`` and ``/var/run/nri``. Nothing of that is seen by others, and nothing that it
writes below ``/var/lib`` and ``/var/run`` reaches the host.
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

__all__ = ["NOT_ALLOWED", "PLACES", "enter"]

NOT_ALLOWED, NOT_FOUND = 77, 127
"""Exit codes: the system lets nobody have mounts of their own; there is no such program."""

PLACES = {"kubelet": "/var/lib/kubelet", "cdi": "/var/run/cdi", "nri": "/var/run/nri"}
"""Folders below HOME, and where COMMAND finds each."""
_MEBIBYTES = 16


def enter(machine: str, home: str, *words: str) -> None:
    """Become the program; raises ``UsageError`` where that is not allowed, ``OSError`` where it cannot be run."""
    described = machine_from_dict(json.loads(Path(machine).read_text(encoding="utf-8")), "machine")
    enter_machine(described, become_root=True)
    # They may lie where nothing is seen in a moment.
    kept = {name: os.open(Path(home, name), os.O_PATH | os.O_DIRECTORY) for name in PLACES}
    for covered in ("/var/lib", str(Path("/var/run").resolve())):
        mount_memory(covered, _MEBIBYTES)
    for name, place in PLACES.items():
        Path(place).mkdir()
        bind(f"/proc/self/fd/{kept[name]}", place)
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
