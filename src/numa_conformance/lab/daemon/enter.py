"""``python -m numa_conformance.lab.daemon.enter MACHINE.json FOLDER=PLACE... -- COMMAND...``: on a machine.

What COMMAND reads below ``/sys`` and ``/proc`` is the machine's, and it finds each FOLDER at its PLACE. Nothing of that
is seen by others. Nothing that it writes beside a PLACE, as below ``/var/lib`` or ``/run``, reaches the host.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...errors import UsageError
from ...machine import machine_from_dict
from ...machine.hostfs import enter_machine
from ...machine.hostfs.namespaces import bind, mount_memory

NOT_ALLOWED, NOT_FOUND = 77, 127
"""Exit codes: the system lets nobody have mounts of their own; there is no such program."""

_MEBIBYTES = 16
_DEPTH = 3
"""Parts of a path that is covered by memory, the root among them: ``/var/lib``."""


def entering(machine: Path, places: Mapping[Path, str]) -> list[str]:
    """Return what stands before a command: the file of its machine, and folders by the places where it finds them."""
    bound = [f"{folder}={place}" for folder, place in places.items()]
    return [sys.executable, "-m", __name__, str(machine), *bound, "--"]


def enter(machine: str, places: Sequence[tuple[str, str]], words: list[str]) -> None:
    """Become the program; raises ``UsageError`` where that is not allowed, ``OSError`` where it cannot be run."""
    described = machine_from_dict(json.loads(Path(machine).read_text(encoding="utf-8")), "machine")
    enter_machine(described, become_root=True)
    # They may lie where nothing is seen in a moment.
    descriptors = [(os.open(folder, os.O_PATH | os.O_DIRECTORY), place) for folder, place in places]
    for covered in {Path(*Path(place).parts[:_DEPTH]).resolve() for _, place in places}:
        mount_memory(str(covered), _MEBIBYTES)
    for folder, place in descriptors:
        Path(place).mkdir(parents=True)
        bind(f"/proc/self/fd/{folder}", place)
    os.execvp(words[0], words)


def _main(machine: str, *rest: str) -> None:
    at = rest.index("--")
    places = [(folder, place) for folder, _, place in (word.rpartition("=") for word in rest[:at])]
    words = list(rest[at + 1 :])
    try:
        enter(machine, places, words)
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NOT_ALLOWED)
    except OSError as error:
        sys.stderr.write(f"{words[0]}: {error.strerror}\n")
        sys.exit(NOT_FOUND)


if __name__ == "__main__":
    _main(*sys.argv[1:])
