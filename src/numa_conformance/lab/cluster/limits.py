"""What a kernel must allow before kubelets are started on it, and the addresses that they use."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path

from ...errors import Fault, UsageError

LOOPBACK = "127.0.0.1"
_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
_EACH = 5
"""inotify instances that a kubelet takes; it ends, and its node never registers, where it cannot have them."""
_OTHERS = 8
"""Those that the control plane takes, and some to spare."""


def check_inotify(nodes: int) -> None:
    """Raise ``UsageError`` where this user may not have as many inotify instances as so many kubelets take."""
    try:
        allowed = int(_INSTANCES.read_text())
    except (OSError, ValueError):
        return
    needed = _inotify_in_use() + nodes * _EACH + _OTHERS
    if needed > allowed:
        raise UsageError(
            Fault(
                "fs.inotify.max_user_instances",
                f"is {allowed}; {nodes} kubelets need {_EACH} each, {needed} with those in use",
                f"sysctl fs.inotify.max_user_instances={max(8192, needed)}, or fewer nodes",
            )
        )


def _inotify_in_use() -> int:
    """Count this user's inotify instances."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if process.stat().st_uid != os.geteuid():
                continue
            for descriptor in os.listdir(process / "fd"):
                with contextlib.suppress(OSError):
                    count += os.readlink(process / "fd" / descriptor) == "anon_inode:inotify"
    return count


def host_address() -> str | None:
    """Return an address of this computer that is not loopback: nodes report it, nothing is served there.

    None where there is none. No packet is sent.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        address = str(probe.getsockname()[0])
        return None if address.startswith("127.") else address
    return None
