"""The programs of a release, built once by Go from its module proxy, and kept in a cache."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ...errors import Fault, UsageError
from .binaries import PROGRAMS

_RELEASE = re.compile(r"v?(1\.\d{1,3}\.\d{1,3})")
_STAGED = re.compile(r"(k8s\.io/[a-z-]+) => \./staging/")
_ETCD = "go.etcd.io/etcd/server/v3"
_STORAGE = re.compile(r"^\s*go\.etcd\.io/etcd/client/v3 (v\S+)", re.MULTILINE)
_STAMP = "k8s.io/component-base/version.gitVersion"


def build_release(name: str, say: Callable[[str], None], programs: tuple[str, ...] = PROGRAMS) -> dict[str, str]:
    """Return program to path of a release as ``1.37.1``, after building those that are not in the cache.

    Raises ``UsageError`` for what is no release, where there is no Go, and where Go cannot build it.
    """
    release = _RELEASE.fullmatch(name)
    if release is None:
        raise UsageError(Fault("--release", f"is {name!r}", "a release of Kubernetes, as 1.37.1"))
    version = release[1]
    folder = cached_release(version)
    missing = [program for program in programs if not (folder / program).exists()]
    if missing:
        if shutil.which("go") is None:
            raise UsageError(
                Fault("--release", "needs Go, and there is none in PATH", "https://go.dev/dl, or --binaries")
            )
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as workshop:
            _build(version, missing, Path(workshop), folder, say)
    return {program: str(folder / program) for program in programs}


def cached_release(version: str) -> Path:
    """Return the folder of the cache in which a release's programs lie."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "numa-conformance", f"kubernetes-{version}")


def _build(version: str, programs: list[str], workshop: Path, folder: Path, say: Callable[[str], None]) -> None:
    """Build programs one after the other, each moved to its place when it is whole."""
    theirs = _published(version, workshop)
    for number, program in enumerate(programs, 1):
        say(f"building {program} of {version} ({number} of {len(programs)}; minutes, once) in {folder}")
        if program == "etcd":
            storage = _STORAGE.search(theirs)
            requires, package = [f"require {_ETCD} {storage[1] if storage else 'latest'}"], _ETCD
        else:
            requires, package = list(_kubernetes(version, theirs)), f"k8s.io/kubernetes/cmd/{program}"
        go_line = next(line for line in theirs.splitlines() if line.startswith("go "))
        module = workshop / "go.mod"
        module.write_text("\n".join(["module conformance.example/release", go_line, *requires, ""]))
        (workshop / "go.sum").unlink(missing_ok=True)
        made = workshop / program
        stamp = f"-s -w -X {_STAMP}=v{version}"
        _go(workshop, "build", "-mod=mod", "-trimpath", "-ldflags", stamp, "-o", str(made), package)
        made.rename(folder / program)


def _published(version: str, workshop: Path) -> str:
    """Return the go.mod of a release, as it was published."""
    (workshop / "go.mod").write_text("module conformance.example/release\n")
    _go(workshop, "mod", "download", f"k8s.io/kubernetes@v{version}")
    cache = Path(_go(workshop, "env", "GOMODCACHE").strip())
    return (cache / f"cache/download/k8s.io/kubernetes/@v/v{version}.mod").read_text()


def _kubernetes(version: str, theirs: str) -> Iterator[str]:
    """Yield what a module says that builds a command of Kubernetes.

    None can be installed by version, because its go.mod replaces the staging modules by folders. They are published
    too, as v0.MINOR.PATCH.
    """
    yield f"require k8s.io/kubernetes v{version}"
    for staged in _STAGED.findall(theirs):
        yield f"replace {staged} => {staged} v0.{version.removeprefix('1.')}"


def _go(folder: Path, *words: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "GOFLAGS"}
    done = subprocess.run(["go", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if not line.startswith("go: downloading")]
        raise UsageError(
            Fault("--release", f"go {words[0]} failed: {' '.join(lines[-3:])[-500:]}", "a published release")
        )
    return done.stdout
