"""``python -m numa_conformance.lab.daemon.enter CHANNEL PORT MACHINE FOLDER=PLACE... -- COMMAND...``: on a machine.

COMMAND has a private network. Over the socket CHANNEL goes whether that is allowed, with a socket that listens
there at PORT; 0: at any. MACHINE is a file; where it is empty, COMMAND sees the host's files. Otherwise what it reads
below ``/sys`` and ``/proc`` is the machine's, and it finds each FOLDER at its PLACE. Nothing of that is seen by others.
Nothing that it writes beside a PLACE, as below ``/var/lib`` or ``/run``, reaches the host.
"""

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...errors import UsageError
from ...namespaces import bind, enter_network_namespace, mount_memory

NOT_ALLOWED, NOT_FOUND = 77, 127
"""Exit codes: the system lets nobody have mounts of their own; there is no such program."""
ISOLATED, SHARED = b"isolated", b"shared"
"""What goes over the channel: whether the network is private."""

_MEBIBYTES = 16
_DEPTH = 3
"""Parts of a path that is covered by memory, the root among them: ``/var/lib``."""


def entering(channel: int, port: int, machine: Path | None, places: Mapping[Path, str]) -> list[str]:
    """Return what stands before a command; ``places``: folders by the places where the command finds them."""
    bound = [f"{folder}={place}" for folder, place in places.items()]
    return [sys.executable, "-m", __name__, str(channel), str(port), str(machine or ""), *bound, "--"]


def _isolate(channel: int, port: int) -> None:
    """Take a private network where the system allows it, and send what listens there."""
    with socket.socket(fileno=channel) as other:
        try:
            enter_network_namespace()
        except OSError:
            other.send(SHARED)
            return
        with socket.create_server(("127.0.0.1", port)) as listening:
            socket.send_fds(other, [ISOLATED], [listening.fileno()])


def _enter(machine: str, places: Sequence[tuple[str, str]]) -> None:
    """See a machine and folders; raises ``UsageError`` where that is not allowed."""
    from ...machine import machine_from_dict  # takes as long as all else together
    from ...machine.hostfs.on_machine import enter_machine

    enter_machine(machine_from_dict(json.loads(Path(machine).read_text(encoding="utf-8")), "machine"), become_root=True)
    # They may lie where nothing is seen in a moment.
    descriptors = [(os.open(folder, os.O_PATH | os.O_DIRECTORY), place) for folder, place in places]
    for covered in {Path(*Path(place).parts[:_DEPTH]).resolve() for _, place in places}:
        mount_memory(str(covered), _MEBIBYTES)
    for folder, place in descriptors:
        Path(place).mkdir(parents=True)
        bind(f"/proc/self/fd/{folder}", place)


def main(channel: str, port: str, machine: str, *rest: str) -> None:
    """Become the command, or end with the exit code that says why not."""
    at = rest.index("--")
    places = [(folder, place) for folder, _, place in (word.rpartition("=") for word in rest[:at])]
    words = list(rest[at + 1 :])
    try:
        if machine:
            _enter(machine, places)
        _isolate(int(channel), int(port))
        os.execvp(words[0], words)
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NOT_ALLOWED)
    except OSError as error:
        sys.stderr.write(f"{words[0]}: {error.strerror}\n")
        sys.exit(NOT_FOUND)


if __name__ == "__main__":
    main(*sys.argv[1:])
