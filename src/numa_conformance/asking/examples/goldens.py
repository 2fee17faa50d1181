"""Golden texts: what the kubelet answers, or what a target of one's own answered before its policy changed."""

import difflib
import glob
import re
from pathlib import Path

from ...files import write_text
from ...sources.versions import KubernetesVersion


class Golden:
    """A golden text in a folder: one file per case, for people to read and to review.

    ``CASE.txt`` holds in every version; where older ones place otherwise, ``CASE until 1.33.txt`` beside it tells how.
    A target's own is called by the parameters of the case, and begins with whose policy it holds.
    """

    def __init__(
        self, folder: Path, case: str, version: KubernetesVersion, *, update: bool = False, policy: str = ""
    ) -> None:
        """Take the folder, the running case and its version, and whether its text is to be replaced.

        ``policy``: the target whose own policy the folder holds; "" where it is the kubelet's.
        """
        file, _, test = case.partition("::")
        name = Path(file).name
        if policy:
            name, test = name.removeprefix("test_"), test.partition("[")[2].removesuffix("]") or test
        self._path = _path(folder / name, re.sub(r"[^\w\-\[\]. ]", "_", test), version)
        self._update = update
        self.policy = policy

    @property
    def named(self) -> str:
        """Whose texts they are, in words."""
        return f"the snapshots of {self.policy} (--numa-snapshot-update accepts)" if self.policy else "the golden ones"

    def difference(self, text: str) -> str | None:
        """Compare with the file, or replace it; return how ``text`` differs, in lines marked + and -."""
        if self.policy:
            text = f"policy of {self.policy}\n{text}"
        if self._update:
            write_text(self._path, text)
            return None
        if not self._path.exists():
            return f"there is no golden text {self._path.name}; --numa-snapshot-update writes it"
        before = self._path.read_text(encoding="utf-8")
        if before == text:
            return None
        sides, name = (before.splitlines(), text.splitlines()), "before" if self.policy else "kubelet"
        return "\n".join(difflib.unified_diff(*sides, name, "target", n=100, lineterm=""))


def _path(folder: Path, name: str, version: KubernetesVersion) -> Path:
    versions = (path.stem.rpartition(" ")[2] for path in folder.glob(f"{glob.escape(name)} until *.txt"))
    ends = [end for end in map(KubernetesVersion.parse, versions) if version <= end]
    return folder / (f"{name} until {min(ends)}.txt" if ends else f"{name}.txt")
