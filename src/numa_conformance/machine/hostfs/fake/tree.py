"""Small files below a root, as a kernel shows them."""

import os
from pathlib import Path


class Tree:
    """Writes files, folders and links below ``root``.

    Most files of a large machine say the same. ``shared`` makes those one file under many names (hard links), so that
    a tree in memory stays small; it is for trees that nobody will write to.
    """

    def __init__(self, root: Path, *, shared: bool = False) -> None:
        """Take the root, which is made when the first file is written."""
        self._root = str(root)
        self._folders: set[str] = set()
        self._written: dict[str, str] | None = {} if shared else None

    def write(self, path: str, text: object) -> None:
        """Write a file and its last line's end."""
        self.write_whole(path, f"{text}\n")

    def write_whole(self, path: str, text: str) -> None:
        """Write a file as it is given; one without a byte is what the kernel shows of an empty ``uevent``."""
        place = self._place(path)
        if self._written is not None:
            known = self._written.setdefault(text, place)
            if known != place:
                os.link(known, place)
                return
        with open(place, "wb", buffering=0) as stream:
            stream.write(text.encode("ascii", "replace"))

    def link(self, path: str, goal: str) -> None:
        """Make a symbolic link."""
        os.symlink(goal, self._place(path))

    def folder(self, path: str) -> None:
        """Make a folder, which may stay empty."""
        place = f"{self._root}/{path}"
        if place not in self._folders:
            os.makedirs(place, exist_ok=True)
            self._folders.add(place)

    def _place(self, path: str) -> str:
        self.folder(path.rpartition("/")[0])
        return f"{self._root}/{path}"


def cpu_map(bits: int) -> str:
    """Return a set as the kernel's hex words, most significant first."""
    words: list[str] = []
    while bits or not words:
        words.append(f"{bits & 0xFFFFFFFF:08x}")
        bits >>= 32
    return ",".join(reversed(words))
