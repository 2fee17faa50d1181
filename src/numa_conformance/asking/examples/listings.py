"""Host trees as listings: what ``grep -r ''`` prints of a folder, with ``name -> goal`` for a link."""

from __future__ import annotations

from pathlib import Path


def lay_out(listing: str, root: Path) -> None:
    """Make the files and links of a listing below ``root``; a line that begins with ``#`` is a comment.

    A line ``path:text`` is one line of that file; a file of several lines is named once for each.
    """
    files: dict[Path, list[str]] = {}
    for line in listing.splitlines():
        name, is_link, goal = line.partition(" -> ")
        if line.startswith("#"):
            continue
        if is_link:
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(goal)
        else:
            name, _, text = line.partition(":")
            files.setdefault(root / name, []).append(f"{text}\n")
    for place, lines in files.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(lines), encoding="ascii")
