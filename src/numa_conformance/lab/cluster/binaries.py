"""Where the programs of a cluster are, and whether their versions go together."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import Fault, UsageError

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet")
_ASSETS = "KUBEBUILDER_ASSETS"
_SKEW = 3
"""Minors that a kubelet may be older than the API server (Version Skew Policy)."""
_POLICY = "https://kubernetes.io/releases/version-skew-policy/"
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.\d+\S*")


@dataclass(frozen=True)
class Binaries:
    """The paths of the programs, in the order of ``PROGRAMS``; the scheduler may be one under test."""

    etcd: str
    apiserver: str
    controller_manager: str
    scheduler: str
    kubelet: str


def find_binaries(folder: Path | None, built: Mapping[str, str], named: Mapping[str, Path | None]) -> Binaries:
    """Return each program: the one ``named``; else in ``folder``; else ``built``; else in KUBEBUILDER_ASSETS, or PATH.

    Raises ``UsageError`` that names all that are missing.
    """
    folders = [os.environ.get(_ASSETS, ""), os.environ.get("PATH", "")] if folder is None else [str(folder)]
    places = os.pathsep.join(filter(None, folders))
    paths = {
        name: _program(path) if (path := named.get(name)) else built.get(name) or shutil.which(name, path=places)
        for name in PROGRAMS
    }
    missing = [name for name, path in paths.items() if path is None]
    if missing:
        looked = str(folder) if folder is not None else f"{_ASSETS} and PATH"
        accepted = "--binaries FOLDER with all of them, or --release 1.37.1, which builds them"
        raise UsageError(Fault(", ".join(missing), f"not found in {looked}", accepted))
    return Binaries(*(os.path.abspath(str(paths[name])) for name in PROGRAMS))


def _program(path: Path) -> str:
    if not os.access(path, os.X_OK):
        raise UsageError(Fault(str(path), "is no program", "the path of one that may be run"))
    return str(path)


def version_of(binary: str) -> tuple[int, int] | None:
    """Return major and minor version that a program tells; None where it tells none. Raises ``UsageError``."""
    try:
        done = subprocess.run([binary, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(Fault(binary, f"cannot be run: {error}", "a program for this computer")) from error
    match = _VERSION.search(done.stdout)
    return (int(match[1]), int(match[2])) if match else None


def skew_notices(apiserver: str, kubelets: Iterable[str]) -> list[str]:
    """Tell which kubelets are of another minor; raises ``UsageError`` for one that the API server does not support."""
    server = version_of(apiserver)
    notices, faults = [], []
    for kubelet in sorted({*kubelets}):
        other = version_of(kubelet)
        if server is None or other is None or other == server:
            continue
        text = f"is of {other[0]}.{other[1]}, the API server of {server[0]}.{server[1]}"
        if other[0] != server[0] or not server[1] - _SKEW <= other[1] <= server[1]:
            faults.append(Fault(kubelet, text, f"the same minor, or up to {_SKEW} older: {_POLICY}"))
        else:
            notices.append(f"{kubelet} {text}: within Kubernetes' version skew")
    if faults:
        raise UsageError(faults)
    return notices


LOOPBACK = "127.0.0.1"
_INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
_EACH = 5
"""inotify instances that a kubelet takes; it ends, and its node never registers, where it cannot have them."""
_OTHERS = 8
"""Those that the control plane takes, and some to spare."""


def check_inotify(nodes: int) -> None:
    """Raise ``UsageError`` where this user may not have as many inotify instances as so many kubelets take."""
    try:
        allowed = int(_INSTANCES.read_text())
    except (OSError, ValueError):
        return
    needed = _inotify_in_use() + nodes * _EACH + _OTHERS
    if needed > allowed:
        raise UsageError(
            Fault(
                "fs.inotify.max_user_instances",
                f"is {allowed}; {nodes} kubelets need {_EACH} each, {needed} with those in use",
                f"sysctl fs.inotify.max_user_instances={max(8192, needed)}, or fewer nodes",
            )
        )


def _inotify_in_use() -> int:
    """Count this user's inotify instances."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if process.stat().st_uid != os.geteuid():
                continue
            for descriptor in os.listdir(process / "fd"):
                with contextlib.suppress(OSError):
                    count += os.readlink(process / "fd" / descriptor) == "anon_inode:inotify"
    return count


def host_address() -> str | None:
    """Return an address of this computer that is not loopback: nodes report it, nothing is served there.

    None where there is none. No packet is sent.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        address = str(probe.getsockname()[0])
        return None if address.startswith("127.") else address
    return None


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
