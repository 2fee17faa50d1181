"""``NodeTree``: the files of a node below a root, read without trust: nothing outside it, nothing without bounds."""

import errno
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..cpuset import CpuSet
from ..errors import CpuSetSyntaxError, UsageError
from ..files import read_bounded
from ..machine.hostfs.host_files import HostFiles

MAX_SMALL = 1024 * 1024
"""Bytes of a file that a kernel or a person writes."""
MAX_STATE = 4 * 1024 * 1024
"""Bytes of a state file."""
MAX_ENTRIES = 100_000
"""Entries of one folder; of a larger one the first are read, and it is said."""
MAX_FOLDERS = 200_000
"""Folders of cgroups on one node."""
MAX_NOTES = 200
_GONE = (errno.ENOENT, errno.ESRCH, errno.ENODEV, errno.ENOTDIR)


class Line(str):
    """A text that remembers where it was read: the file below the root, and the line from 1.

    A file that begins with ``/`` was named by a person, and is no file of the node.
    """

    file: str
    number: int

    @property
    def place(self) -> str:
        """The file as the node names it; what is no file of the node has a place of its own."""
        return self.file if self.file.startswith("/") or "/" not in self.file else f"/{self.file}"

    @classmethod
    def of(cls, text: str, file: str, number: int = 1) -> "Line":
        """Make one."""
        made = cls(text)
        made.file, made.number = file, number
        return made


class NodeTree:
    """What lies below ``root``, which stands for ``/``.

    A file that is not there, or no longer, is None: containers end while they are looked at. What cannot be read
    otherwise (no permission, a FIFO, too large, a link out of the root) is None too, and a note says so.
    """

    def __init__(self, root: Path) -> None:
        """Take the root; raises ``UsageError`` when it is no folder."""
        self._files = HostFiles(root)
        self.root = self._files.root
        self.notes: list[str] = []
        self._folders = 0

    def note(self, text: str) -> None:
        """Remember what could not be seen, once; of very many things no more than that there are more."""
        text = text if len(self.notes) < MAX_NOTES else "more than that could not be seen"
        if text not in self.notes:
            self.notes.append(text)

    def place(self, path: str) -> Path | None:
        """Return where a path leads; None where nothing is, or where it leads out of the root."""
        try:
            return self._files.resolve(path.lstrip("/"))
        except UsageError as error:
            self.note(str(error))
        except (OSError, ValueError) as error:
            self._note_error(path, error)
        return None

    def content(self, path: str, most: int = MAX_SMALL) -> bytes | None:
        """Return a file's bytes."""
        place = self.place(path)
        if place is None:
            return None
        try:
            return read_bounded(place, most)
        except UsageError as error:
            self.note(str(error))
        except OSError as error:
            self._note_error(path, error)
        return None

    def text(self, path: str, most: int = MAX_SMALL) -> str | None:
        """Return a file's text as it is."""
        content = self.content(path, most)
        return None if content is None else content.decode("utf-8", "replace")

    def line(self, path: str) -> Line | None:
        """Return a small file's text without blanks at its ends."""
        text = self.text(path)
        return None if text is None else Line.of(text.strip(), path)

    def bits(self, path: str) -> int | None:
        """Return the set of ids in a file as the kernel lists them; an empty file is the empty set."""
        line = self.line(path)
        return None if line is None else self.parsed(line)

    def parsed(self, line: Line) -> int | None:
        """Return the set of ids in a line as bits; None, with a note, where it is none."""
        try:
            return CpuSet.parse_kernel(line).bits
        except CpuSetSyntaxError as error:
            self.note(f"{line.file}: line {line.number}: {error}")
            return None

    def changed(self, path: str) -> float | None:
        """Return when a file was last written, in seconds since the epoch."""
        place = self.place(path)
        try:
            return None if place is None else place.stat().st_mtime
        except OSError:
            return None

    def names(self, path: str) -> list[str]:
        """Return the names in a folder, sorted; links to nothing among them."""
        names = list(islice((name for name, _ in self._entries(path)), MAX_ENTRIES + 1))
        if len(names) > MAX_ENTRIES:
            self.note(f"{path}: has more than {MAX_ENTRIES} entries; the rest is not looked at")
        return sorted(names[:MAX_ENTRIES])

    def folders(self, path: str) -> list[str]:
        """Return the names of the folders in a folder, sorted; links are none."""
        folders: list[str] = []
        for name, is_folder in self._entries(path):
            if is_folder:
                self._folders += 1
                if self._folders > MAX_FOLDERS:
                    self.note(f"more than {MAX_FOLDERS} folders; the rest is not looked at")
                    break
                folders.append(name)
        return sorted(folders)

    def _entries(self, path: str) -> Iterator[tuple[str, bool]]:
        """Yield the names in a folder and whether each is one itself; nothing where it is no folder, or no longer."""
        place = self.place(path)
        try:
            if place is not None and place.is_dir():
                with os.scandir(place) as entries:
                    yield from ((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
        except OSError as error:
            self._note_error(path, error)

    def goal(self, path: str) -> str | None:
        """Return what a link says, without following it; None where it is no link."""
        folder, _, name = path.rpartition("/")
        place = self.place(folder)
        try:
            return None if place is None else os.readlink(place / name)
        except (OSError, ValueError):
            return None

    def processes(self) -> Iterator[int]:
        """Yield the ids of processes, ascending."""
        yield from sorted(int(name) for name in self.names("proc") if name.isascii() and name.isdecimal())

    def _note_error(self, path: str, error: OSError | ValueError) -> None:
        if isinstance(error, OSError) and error.errno in _GONE:
            return
        self.note(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}")
