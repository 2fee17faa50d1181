"""Builds the page from the repository and two registries: `python playground/build.py [--to FOLDER] [--quick]`.

What the registries have is taken once, by name, version and checksum: npm's into node_modules/, PyPI's into wheels/.
After that it builds without a network. Needs node, npm and pip.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
MODULES, WHEELS, PARTS, BUILT = (HERE / name for name in ("node_modules", "wheels", "parts", "built"))
PLATFORMS = ("pyemscripten_2026_0_wasm32", "manylinux2014_x86_64", "any")
"""The page's first. Of packages without a wheel for it only the modules in Python are used."""


LEFT_OUT = ("asking", "chapters", "cli", "comparing", "doctor", "judging", "lab", "plugin", "report")
"""Rooms that the page has no use for."""


def why_not() -> str | None:
    """Return why the page cannot be built here, None where it can."""
    missing = [program for program in ("node", "npm") if shutil.which(program) is None]
    if missing:
        return f"needs {' and '.join(missing)}"
    return None if find_spec("pip") or WHEELS.is_dir() else "needs pip"


def take_packages() -> None:
    """Take what the locks name, unless it is here."""
    kept = MODULES / ".package-lock.json"
    if not kept.is_file() or kept.stat().st_mtime < (HERE / "package-lock.json").stat().st_mtime:
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=HERE, check=True)
    lock = HERE / "wheels.txt"
    if WHEELS.is_dir() and WHEELS.stat().st_mtime >= lock.stat().st_mtime:
        return
    shutil.rmtree(WHEELS, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=HERE) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        command += ["--require-hashes", "-r", str(lock), "--python-version", "3.14", "--implementation", "cp"]
        command += ["--abi", "cp314", "--abi", "none", *(part for name in PLATFORMS for part in ("--platform", name))]
        subprocess.run([*command, "-d", folder], check=True)
        shutil.copytree(folder, WHEELS)


def licences() -> str:
    """Return the licences of all that the page hosts, by package."""
    texts = {"numa-conformance": (REPOSITORY / "LICENSE").read_text(encoding="utf-8")}
    for package in sorted(MODULES.rglob("package.json")):
        if "esbuild" in str(package) or package.parent.parent.name not in (
            "node_modules",
            "@codemirror",
            "@lezer",
            "@marijn",
        ):
            continue
        for file in sorted(package.parent.glob("LICEN[CS]E*")):
            texts[str(package.parent.relative_to(MODULES))] = file.read_text(encoding="utf-8")
    return "\n\n".join(f"== {name} ==\n\n{text}" for name, text in texts.items())


def fingerprint() -> str:
    """Return a sum of all that the parts of the page are made from."""
    made_from = [HERE / name for name in ("ask.py", "package-lock.json", "wheels.txt", "page/python.js")]
    passed_over = {"__pycache__", *LEFT_OUT}
    for folder in (REPOSITORY / "src", REPOSITORY / "fixtures" / "topologies", HERE / "image", HERE / "examples"):
        made_from += (path for path in folder.rglob("*") if path.is_file() and passed_over.isdisjoint(path.parts))
    total = hashlib.sha256()
    for path in sorted(made_from):
        total.update(f"{path.relative_to(REPOSITORY)}:".encode() + path.read_bytes())
    return total.hexdigest()


def make_parts(*, quick: bool) -> None:
    """Make the image of Python and what goes with it, unless they are those of the sources, made as quickly."""
    care = "quick" if quick else "small"
    mark, now = PARTS / "fingerprint", f"{fingerprint()} {care}"
    if mark.is_file() and mark.read_text(encoding="utf-8") == now:
        return
    shutil.rmtree(PARTS, ignore_errors=True)
    PARTS.mkdir()
    command = ["node", HERE / "image" / "image.mjs", REPOSITORY, WHEELS, PARTS, care, *LEFT_OUT]
    subprocess.run(command, cwd=HERE, check=True)
    mark.write_text(now, encoding="utf-8")


def build(to: Path, *, quick: bool = False) -> None:
    """Build the page into a folder; raises ``CalledProcessError``.

    ``quick``: its files are larger, and Python's own modules are compiled where they are imported.
    """
    with (HERE / "build.lock").open("w") as lock:  # of two builds at a time one waits
        fcntl.flock(lock, fcntl.LOCK_EX)
        take_packages()
        make_parts(quick=quick)
        _bundle(to)


def _bundle(to: Path) -> None:
    subprocess.run(["node", HERE / "image" / "bundle.mjs", PARTS, to], cwd=HERE, check=True)
    (to / "licences.txt").write_text(licences(), encoding="utf-8")


def main() -> None:
    """Build the page, or say why not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=BUILT, help="the folder, made anew (default: playground/built)")
    parser.add_argument("--quick", action="store_true", help="build a larger page sooner, to try it")
    arguments = parser.parse_args()
    if reason := why_not():
        sys.exit(f"the playground cannot be built here: {reason}")
    build(arguments.to.resolve(), quick=arguments.quick)
    sys.stdout.write(f"built: {arguments.to}\n")


if __name__ == "__main__":
    main()
