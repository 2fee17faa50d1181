"""Golden texts: what the kubelet answers, or what a target of one's own answered before its policy changed."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Protocol

from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ..files import write_text

__all__ = ["Golden", "KubeletsGolden", "OwnGolden"]


class Golden(Protocol):
    """Compares what a target tells in one case with the golden text of the case."""

    def difference(self, told: str) -> str | None:
        """Return how ``told`` differs, in lines marked + and -; None when it does not."""
        ...


class _Texts(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class KubeletsGolden:
    """The golden texts that are shipped with the suite."""

    def __init__(self, snapshot: SnapshotAssertion) -> None:
        """Take the fixture of the running case."""
        self._snapshot = snapshot.use_extension(_Texts)

    def difference(self, told: str) -> str | None:
        """Compare with the kubelet's own placements."""
        if self._snapshot == told:
            return None
        results = self._snapshot.executions
        return _marked("kubelet", str(results[max(results)].recalled_data or ""), told)


class OwnGolden:
    """Golden texts in a folder of the target's repository: one file per case, for people to read and to review."""

    def __init__(self, folder: Path, case: str, *, update: bool) -> None:
        """Take the folder, the id of the running case, and whether its text is to be replaced."""
        file, _, test = case.partition("::")
        self._path = folder / Path(file).name / (re.sub(r"[^\w\-\[\]. ]", "_", test) + ".txt")
        self._update = update

    def difference(self, told: str) -> str | None:
        """Compare with the file, or replace it."""
        if self._update:
            write_text(self._path, told)
            return None
        if not self._path.exists():
            return f"there is no golden text {self._path.name}; --snapshot-update writes it"
        before = self._path.read_text(encoding="utf-8")
        return None if before == told else _marked("before", before, told)


def _marked(name: str, golden: str, told: str) -> str:
    return "\n".join(difflib.unified_diff(golden.splitlines(), told.splitlines(), name, "target", n=100, lineterm=""))
