"""Files and folders: only plain files are read, a write replaces a file whole, and temporary folders always go."""

import contextlib
import fcntl
import os
import pkgutil
import re
import secrets
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from functools import cache
from gzip import GzipFile
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Fault, UsageError

if TYPE_CHECKING:
    import subprocess

_SHELL_FILE = re.compile(r"/dev/(stdin|fd/[0-9]+)|/proc/self/fd/[0-9]+")
_SHARED = Path("/dev/shm")
_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}
_SMALL = 1 << 16
"""Bytes for which memory is taken before it is known that a file has more."""
MAX_LOG = 1 << 24
_UNFINISHED = ".unfinished"
ABANDONED = 60.0
"""Seconds without a write after which an unfinished file that nobody has locked is taken for abandoned."""
_AFTERWARDS = """
while read -r line; do group=$line; done
[ -z "$group" ] || kill -s KILL -- "-$group"
sleep 1
rm -rf -- "$1"
"""
"""What a shell does at the end of this process, whose children may write for a moment longer."""
_SHORT = 24
"""The longest folder in characters that sockets fit below: their paths have at most 107, up to 80 of them below it."""


def open_plain(path: Path) -> BufferedReader:
    """Open a file for reading; a link to a plain file is one, and so is what a shell gives as ``<(command)``.

    Raises ``UsageError`` for what may block or never end (a FIFO, a socket, a device) and for a folder; ``OSError``.
    """
    if _SHELL_FILE.fullmatch(str(path)):
        return path.open("rb")
    _refuse_unless_plain(path, os.stat(path))
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _refuse_unless_plain(path, os.fstat(handle))  # it may be another one by now
    except UsageError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def _refuse_unless_plain(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no plain file")
        raise UsageError(Fault(str(path), f"is {kind}", "a plain file"))


@contextlib.contextmanager
def open_unpacked(path: Path) -> Iterator[BufferedReader | GzipFile]:
    """Open a plain file for reading, unpacked where it is compressed by gzip, behind a mark of order.

    Raises ``UsageError``, ``OSError`` and, where it is read, ``EOFError`` and ``zlib.error``.
    """
    with open_plain(path) as plain, GzipFile(fileobj=plain) if plain.peek(2)[:2] == b"\x1f\x8b" else plain as stream:
        if stream.peek(3)[:3] == b"\xef\xbb\xbf":
            stream.read(3)
        yield stream


def read_bounded(path: Path, most: int) -> bytes:
    """Read a plain file of at most so many bytes; raises ``UsageError`` and ``OSError``."""
    with open_plain(path) as stream:
        content = stream.read(min(_SMALL, most + 1))
        if len(content) == _SMALL:
            content += stream.read(most + 1 - _SMALL)
    if len(content) > most:
        raise UsageError(Fault(str(path), f"is larger than {most} bytes"))
    return content


def end_of(path: Path, most: int = MAX_LOG) -> str:
    """Return the last bytes of what a program has printed into a file, as text; nothing where there is none."""
    try:
        with open_plain(path) as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - most))
            return stream.read(most).decode(errors="replace")
    except OSError:
        return ""


def read_in_place(path: str, most: int) -> bytes | None:
    """Read a plain file that is no link, one byte more than ``most`` at most, in as few calls as can be.

    None for what is no plain file; raises ``OSError``, for a link too.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        content = b""
        while len(content) <= most and (more := os.read(handle, min(most + 1 - len(content), _SMALL + len(content)))):
            content += more
        return content
    finally:
        os.close(handle)


def refuse_filled(folder: Path) -> None:
    """Refuse a folder in which anything lies; raises ``UsageError``."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(Fault(str(folder), "is not empty", "an empty folder, or one that does not exist"))


def write_text(path: Path, text: str, *, sync: bool = True) -> None:
    """Replace a file, whose folder is made, with a text in UTF-8; raises ``UsageError``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_text(path, text, sync=sync)
    except OSError as error:
        raise UsageError(Fault(str(path), f"cannot be written: {error.strerror or error}")) from error


def replace_text(path: Path, text: str, *, sync: bool = True) -> None:
    """Replace a file with a text in UTF-8; raises ``OSError``."""
    replace_bytes(path, text.encode("utf-8", "backslashreplace"), sync=sync)


def replace_bytes(path: str | Path, content: bytes, *, mode: int = 0o666, sync: bool = True, tidy: bool = True) -> None:
    """Put a file in the place of another, or of a link: a reader sees the old one or the new one, whole.

    ``mode`` is that of the new file, less what the umask takes away. With ``sync`` also after a crash of the machine
    one of them is there, whole; which one is open, as with the kubelet. With ``tidy``, what killed writers have left is
    removed. Raises ``OSError``.
    """
    folder, name = os.path.split(path)
    if tidy:
        _remove_unfinished(folder or ".", name)
    unfinished = os.path.join(folder, f".{name}.{secrets.token_hex(6)}{_UNFINISHED}")
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            while content:
                content = content[os.write(handle, content) :]
            if sync:
                os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def _remove_unfinished(folder: str, name: str) -> None:
    """Remove what killed writers of a file have left: old enough, and no writer that lives holds its lock."""
    beginning = f".{name}."
    for entry in os.listdir(folder):
        if not (entry.startswith(beginning) and entry.endswith(_UNFINISHED)):
            continue
        left = os.path.join(folder, entry)
        with contextlib.suppress(OSError):
            handle = os.open(left, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.time() - os.fstat(handle).st_mtime > ABANDONED:
                    os.unlink(left)
            finally:
                os.close(handle)


def fake_filesystem() -> Any:
    """Return the file system of pyfakefs while it stands in for the disk, None at other times."""
    return getattr(os, "filesystem", None)  # pyfakefs replaces ``os`` in each module


@contextlib.contextmanager
def real_files() -> Iterator[None]:
    """Read and write files of the disk meanwhile, also in a test with pyfakefs: data of this package or of the user."""
    fake = fake_filesystem()
    if fake is None:
        yield
        return
    fake.pause()
    try:
        yield
    finally:
        fake.resume()


class TemporaryFolder:
    """A folder for temporary files, which its owner closes, and which goes with its owner's process.

    A process that is killed cannot remove its files. So a shell waits until the pipe from this process ends, and then
    removes the folder. The shell has a session of its own and inherits no environment: a signal to the owner's session,
    or to all processes with a mark, does not reach it. On a system without ``/bin/sh`` the folder of a killed owner
    stays.
    """

    def __init__(self, prefix: str, *, for_sockets: bool = False, size: int = 0) -> None:
        """Make it; its name begins with ``prefix``. ``for_sockets``: with a short path, in ``/tmp`` if need be.

        ``size``: bytes for which it is made in memory, where they have room.
        """
        import subprocess  # what makes no folder does not pay for it

        too_long = for_sockets and len(tempfile.gettempdir()) > _SHORT
        place = memory_folder(size) if size else "/tmp" if too_long else None
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        self._waiting: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(FileNotFoundError):
            self._waiting = subprocess.Popen(
                ["/bin/sh", "-c", _AFTERWARDS, "sh", str(self.path)], bufsize=0, stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": os.defpath}, cwd="/",
                start_new_session=True,
            )  # fmt: skip
        self._remove = weakref.finalize(self, _remove, self.path, self._waiting)

    def end_with_owner(self, group: int | None) -> None:
        """Name the process group that is killed with the owner, before the folder goes; None: no group."""
        if self._waiting is not None and self._waiting.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._waiting.stdin.write(b"\n" if group is None else b"%d\n" % group)

    def close(self) -> None:
        """Remove it; a second call does nothing. It also goes when its owner ends or drops it."""
        self._remove()


def _remove(path: Path, waiting: "subprocess.Popen[bytes] | None") -> None:
    shutil.rmtree(path, ignore_errors=True)
    if waiting is not None:
        waiting.kill()
        waiting.communicate()


def text_of(package: str, file: str) -> str:
    """Return the text of a file of a package, read as modules are: from the disk, under pyfakefs too."""
    data = pkgutil.get_data(package, file)
    assert data is not None
    return data.decode()


def lines_of(text: str) -> list[str]:
    """Return the lines of a text of this package, each continued by indentation."""
    return text.replace("\n  ", " ").splitlines()


def records_of(text: str) -> Iterator[list[str]]:
    """Yield each record of a text of this package: its first line and its fields, indented, continued by more."""
    for record in re.split(r"\n(?=\S)", text.strip()):
        yield re.sub(r"\n {4}", " ", record).split("\n  ")


def parts_of(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each ``# heading`` of a text of this package, and the lines below it, continued by indentation."""
    for part in re.split(r"^# ", text.replace("\n  ", " "), flags=re.MULTILINE)[1:]:
        heading, *lines = part.strip().split("\n")
        yield heading, lines


def match_line(pattern: re.Pattern[str], line: str, what: str) -> tuple[str, ...]:
    """Return the groups of a line of such a text; raises ``ValueError`` for one that is not ``what`` it has to be."""
    match = pattern.fullmatch(line)
    if match is None:
        raise ValueError(f"not {what}: {line!r}")
    return match.groups()


def memory_folder(size: int) -> Path | None:
    """Return where files lie in memory and so many bytes have room: a disk makes many small ones ten times as slowly.

    None: let the environment say, as where ``TMPDIR`` names a folder.
    """
    has_room = _SHARED.is_dir() and os.access(_SHARED, os.W_OK | os.X_OK) and shutil.disk_usage(_SHARED).free > size
    return _SHARED if has_room and "TMPDIR" not in os.environ else None


@cache
def data_folder(folder: str) -> Path:
    """Return the folder ``conformance``, ``fixtures``, ``go`` or ``examples``.

    A wheel carries them inside the package, of the latter two a part. An editable install and a checkout have them at
    the top level.
    """
    package = Path(__file__).resolve().parent
    inside = package / folder
    return inside if inside.is_dir() else package.parents[1] / folder
