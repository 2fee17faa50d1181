"""Tell whether a newer patch of a minor is out, and which files of the managers it touches.

    python go/kubelet/newer.py 1.34.10

A patch that touches none is stood for by the one that the adapter is built from.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import modules

KUBERNETES = "k8s.io/kubernetes"
FOLDERS = (
    *(f"pkg/kubelet/cm/{name}" for name in ("cpumanager", "memorymanager", "devicemanager", "topologymanager")),
    "pkg/kubelet/cm/containermap",
    "pkg/kubelet/lifecycle",
    "pkg/scheduler/framework/plugins/noderesources",
)
"""Where the managers and the scheduler plugin decide; what is around them is not looked at."""


def newest(patch: str, versions: Iterable[str]) -> str:
    """Return the newest released patch of the same minor, the patch itself where there is none."""
    minor = modules.minor_of(patch)
    numbers = (text.removeprefix(f"v{minor}.") for text in versions if text.startswith(f"v{minor}."))
    last = int(patch.rpartition(".")[2])
    return f"{minor}.{max([last, *(int(number) for number in numbers if number.isdecimal())])}"


def touched(before: Path, after: Path) -> list[str]:
    """Return the files of the managers that differ between two trees of Kubernetes, tests left out."""
    names = {
        str(file.relative_to(tree))
        for tree in (before, after)
        for folder in FOLDERS
        for file in (tree / folder).rglob("*.go")
        if not file.name.endswith("_test.go")
    }
    return sorted(name for name in names if _text(before / name) != _text(after / name))


def _text(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def tree(patch: str) -> Path:
    """Return the folder in which the Go client keeps a patch of Kubernetes."""
    return Path(json.loads(modules.go("mod", "download", "-json", f"{KUBERNETES}@v{patch}"))["Dir"])


def news(patch: str) -> str:
    """Say in a line what came after a patch."""
    try:
        latest = newest(patch, modules.go("list", "-m", "-versions", KUBERNETES).split())
        if latest == patch:
            return f"the module proxy lists no newer patch than {patch}"
        files = touched(tree(patch), tree(latest))
    except (subprocess.CalledProcessError, OSError, ValueError, KeyError):
        return f"whether there is a newer patch than {patch} could not be found out"
    if not files:
        return f"{latest} is newer than {patch}, and touches no file of the managers"
    return f"{latest} is newer than {patch}, and touches files of the managers: {', '.join(files)}"


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        print(news(asked))
