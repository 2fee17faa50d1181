"""Namespaces of mounts and network: the two system calls that Python has not in all versions, and who may use them.

The calls are made in this process, not by util-linux's ``unshare`` and ``mount``. So the process can become the command
itself, with its own number, terminal and signals. Nothing has to be installed.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import socket
import struct
from collections.abc import Callable, Iterable
from pathlib import Path

from .errors import Fault, UsageError

_NEW_MOUNTS, _NEW_USER, _NEW_NETWORK = 0x00020000, 0x10000000, 0x40000000  # CLONE_NEWNS, _NEWUSER, _NEWNET
_SET_FLAGS, _IS_UP = 0x8914, 1  # SIOCSIFFLAGS, IFF_UP
_READ_ONLY, _NO_SUID, _NO_DEVICES, _REMOUNT = 1, 2, 4, 32
_BIND, _RECURSIVE, _PRIVATE = 4096, 16384, 1 << 18
_LAID_MEBIBYTES = 16
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def end_with_parent(number: int) -> None:
    """Have the kernel send this process a signal when its parent ends; 0: none any more."""
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, number)


def enter_mount_namespace(*, become_root: bool = False, harmless: bool = False) -> None:
    """Give this process mounts of its own, which end with the last process that uses them.

    Who may not do so takes a user namespace first, in which they are themselves, or root where ``become_root``; the
    process must have one thread then. ``harmless``: root takes one too where that is allowed, and can do nothing to the
    system from there on. Raises ``UsageError`` where the kernel allows neither.
    """
    ways: list[Callable[[], None]] = [
        lambda: _unshare(_NEW_MOUNTS),
        lambda: _enter_user_namespace(_NEW_MOUNTS, become_root=become_root),
    ]
    refused: OSError | None = None
    for way in reversed(ways) if harmless else ways:
        try:
            way()
        except OSError as error:
            refused = error
        else:
            _mount("none", "/", None, _RECURSIVE | _PRIVATE)
            return
    assert refused is not None
    raise _not_allowed(refused) from refused


def join_mount_namespace(process: int, *, of_a_user: bool = False) -> None:
    """Have this process see the mounts that another sees, from its root; it must have one thread.

    ``of_a_user``: be in its user namespace too, which gives the right to it. Raises ``OSError``.
    """
    root = os.open(f"/proc/{process}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    kinds = (("user", _NEW_USER), ("mnt", _NEW_MOUNTS)) if of_a_user else (("mnt", _NEW_MOUNTS),)
    namespaces = [(os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY | os.O_CLOEXEC), flag) for name, flag in kinds]
    for namespace, flag in namespaces:
        _check(_libc().setns(namespace, flag), f"/proc/{process}/ns")
        os.close(namespace)
    os.fchdir(root)
    os.chroot(".")
    os.close(root)


def enter_network_namespace() -> None:
    """Give this process, of one thread, a private network with a loopback alone; raises ``OSError``."""
    try:
        _unshare(_NEW_NETWORK)
    except OSError:
        _enter_user_namespace(_NEW_NETWORK, become_root=False)
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", _IS_UP))


def _enter_user_namespace(other: int, *, become_root: bool) -> None:
    user, group = os.geteuid(), os.getegid()
    _unshare(_NEW_USER | other)
    process = Path("/proc/self")
    (process / "setgroups").write_text("deny")
    (process / "uid_map").write_text(f"{0 if become_root else user} {user} 1")
    (process / "gid_map").write_text(f"{0 if become_root else group} {group} 1")


def _not_allowed(error: OSError) -> UsageError:
    return UsageError(
        Fault(
            "",
            f"this system does not let you have mounts of your own: {os.strerror(error.errno or 0)}",
            "root with CAP_SYS_ADMIN; or unprivileged user namespaces, which some distributions forbid "
            "(sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, "
            "user.max_user_namespaces) and containers too, unless they are privileged",
        )
    )


def mount_memory(place: str, mebibytes: int) -> None:
    """Mount an empty file system that lies in memory."""
    _mount("numa-conformance", place, "tmpfs", _NO_SUID | _NO_DEVICES, f"mode=755,size={mebibytes}m,nr_inodes=0")


def mount_memory_around(folder: str, mebibytes: int, place: str | None = None) -> None:
    """Mount a file system that lies in memory over a folder; what lies in the folder now is seen in it as before.

    ``place``: over that one instead.
    """
    place = place or folder
    before = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    entries = list(os.scandir(folder))
    mount_memory(place, mebibytes)
    for entry in entries:
        new = Path(place, entry.name)
        # It may be gone by now, and a socket or what others mounted may not be bound.
        with contextlib.suppress(OSError):
            if entry.is_symlink():
                new.symlink_to(os.readlink(f"/proc/self/fd/{before}/{entry.name}"))
                continue
            _make(new, is_folder=entry.is_dir())
            bind(f"/proc/self/fd/{before}/{entry.name}", str(new))
    os.close(before)


def _make(place: Path, *, is_folder: bool) -> None:
    if is_folder:
        place.mkdir(exist_ok=True)
    else:
        place.touch()


def lay(mounts: Iterable[tuple[str, str]], empty: str) -> None:
    """Lay files and folders over places for this process, and make what is missing on the way, in memory.

    ``empty``: a folder for a new root, in which each place is found then, as missing ones may lie in the root itself.
    """
    sources = [(os.open(source, os.O_PATH | os.O_CLOEXEC), Path(place)) for source, place in mounts]
    for source, place in sorted(sources, key=lambda mount: len(mount[1].parts)):
        if not place.exists():
            above = next(parent for parent in place.parents if parent.exists()).resolve()
            if above == Path("/"):
                mount_memory_around("/", _LAID_MEBIBYTES, empty)
                os.chroot(empty)
            else:
                mount_memory_around(str(above), _LAID_MEBIBYTES)
            place.parent.mkdir(parents=True, exist_ok=True)
            _make(place, is_folder=Path(f"/proc/self/fd/{source}").is_dir())
        bind(f"/proc/self/fd/{source}", str(place))


def bind(source: str, place: str) -> None:
    """Lay a file or folder over another, with all that is mounted below it."""
    _mount(source, place, None, _BIND | _RECURSIVE)


def overlay(layers: Iterable[str], place: str) -> None:
    """Lay folders over a place, the first uppermost. Nothing there can be written to from then on."""
    lower = ":".join(re.sub(r"([\\:,])", r"\\\1", each) for each in layers)
    _mount("overlay", place, "overlay", _NO_SUID | _NO_DEVICES, f"lowerdir={lower}")


def make_read_only(place: str) -> None:
    """Make a file system read-only, wherever parts of it are bound to."""
    _mount("none", place, None, _REMOUNT | _READ_ONLY | _NO_SUID | _NO_DEVICES)


def _unshare(flags: int) -> None:
    _check(_libc().unshare(ctypes.c_int(flags)), "unshare")


def _mount(source: str, place: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [text.encode() if text is not None else None for text in (source, place, kind, options)]
    _check(_libc().mount(texts[0], texts[1], texts[2], ctypes.c_ulong(flags), texts[3]), place)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int, place: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), place)
