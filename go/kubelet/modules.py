"""Write ``minors/1.NN.mod``: the module file under which the adapters build against one minor of Kubernetes.

    python modules.py            # every patch that minors.txt names
    python modules.py 1.34.10    # this one

Kubernetes names its staging modules (``k8s.io/api`` and the like) by folders of its own repository, which its module
does not hold; each is replaced by the published module of the same patch. What the build needs beside them, with its
hash in ``minors/1.NN.sum``, the Go client writes. Needs Go and a module proxy; Python's standard library is enough.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MODULE = "github.com/numa-conformance/numa-conformance/go"
BUILD = ("build", "-trimpath", "-ldflags=-s -w")


def go(*args: str, **options: object) -> str:
    """Run the Go client here and return what it prints."""
    return subprocess.run(["go", *args], cwd=HERE, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def minor_of(patch: str) -> str:
    """Return the minor of a patch: 1.34 of 1.34.10."""
    return patch.rpartition(".")[0]


def tags(minor: str) -> str:
    """Return the build tags of a minor: like Go's own, one for each release up to it (``k8s1.27,k8s1.28``)."""
    first, last = 27, int(minor.partition(".")[2])
    return ",".join(f"k8s1.{number}" for number in range(first, last + 1))


def published(module: str, patch: str) -> str:
    """Return the version of a staging module that belongs to a patch, or the newest one before it that can be had."""
    _, minor, number = patch.split(".")
    for candidate in range(int(number), -1, -1):
        version = f"v0.{minor}.{candidate}"
        done = subprocess.run(
            ["go", "mod", "download", "-json", f"{module}@{version}"],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return version
    raise SystemExit(f"no version of {module} for Kubernetes {patch} can be had")


def write(patch: str) -> None:
    """Write the module file of one patch, and let the Go client complete it."""
    minor = minor_of(patch)
    kubernetes = json.loads(go("mod", "download", "-json", f"k8s.io/kubernetes@v{patch}"))
    its_own = json.loads(go("mod", "edit", "-json", kubernetes["GoMod"]))
    staging = [
        entry["Old"]["Path"] for entry in its_own.get("Replace") or [] if entry["New"]["Path"].startswith("./staging/")
    ]
    others = [entry for entry in its_own.get("Replace") or [] if not entry["New"]["Path"].startswith("./staging/")]
    lines = [f"\t{name} => {name} {published(name, patch)}" for name in staging if name not in UNUSED]
    lines += [
        f"\t{entry['Old']['Path']} => {entry['New']['Path']} {entry['New'].get('Version', '')}".rstrip()
        for entry in others
    ]
    file = HERE / "minors" / f"{minor}.mod"
    file.write_text(
        f"// Written by modules.py for Kubernetes {patch}; do not edit.\n\n"
        f"module {MODULE}/kubelet\n\ngo {its_own['Go']}\n\n"
        f"require (\n\t{MODULE} v0.0.0\n\tk8s.io/kubernetes v{patch}\n)\n\n"
        f"replace {MODULE} => ../\n\nreplace (\n" + "\n".join(lines) + "\n)\n",
        encoding="utf-8",
    )
    go("list", "-mod=mod", f"-modfile=minors/{minor}.mod", f"-tags={tags(minor)}", "-deps", ".")


UNUSED = frozenset({"k8s.io/sample-apiserver", "k8s.io/sample-cli-plugin", "k8s.io/sample-controller"})
"""Staging modules that nothing requires."""

if __name__ == "__main__":
    for asked in sys.argv[1:] or (HERE / "minors.txt").read_text(encoding="utf-8").split():
        print(asked, flush=True)
        write(asked)
