"""Where the programs of a cluster are, and whether their versions go together."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...builds import alone_in_cache, cache_folder, run_go
from ...errors import Fault, UsageError
from ...files import TemporaryFolder, replace_bytes

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


def find_binaries(
    folder: Path | None, named: Mapping[str, Path | None], build: Callable[[list[str]], Mapping[str, str]] | None = None
) -> Binaries:
    """Return each program: the one ``named``; else in ``folder``; else built; else in KUBEBUILDER_ASSETS, or PATH.

    ``build`` builds those that are in neither of the first two. Raises ``UsageError`` that names all that are missing.
    """
    folders = [str(folder or "")] if folder or build else [os.environ.get(_ASSETS, ""), os.environ.get("PATH", "")]
    places = os.pathsep.join(filter(None, folders)) or os.devnull
    paths = {
        name: _program(path) if (path := named.get(name)) else shutil.which(name, path=places) for name in PROGRAMS
    }
    missing = [name for name, path in paths.items() if path is None]
    if missing and build is not None:
        paths |= build(missing)
    elif missing:
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
        text = f"is {allowed}; {nodes} kubelets need {_EACH} each, {needed} with those in use"
        accepted = f"sysctl fs.inotify.max_user_instances={max(8192, needed)}, or fewer nodes"
        raise UsageError(Fault("fs.inotify.max_user_instances", text, accepted))


def _inotify_in_use() -> int:
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


Progress = Callable[[Iterable[str], str], Iterable[str]]
"""Passes lines on, and shows how many there were for a purpose."""
_PUBLISHED = "--release with a published release"
_RELEASE = re.compile(r"v?(1\.\d{1,3}\.\d{1,3})")
_STAGED = re.compile(r"(k8s\.io/[a-z-]+) => \./staging/")
_ETCD = "go.etcd.io/etcd/server/v3"
_STORAGE = re.compile(r"^\s*go\.etcd\.io/etcd/client/v3 (v\S+)", re.MULTILINE)
_STAMP = "k8s.io/component-base/version.gitVersion"


def build_release(
    name: str,
    say: Callable[[str], None],
    programs: Sequence[str] = PROGRAMS,
    progress: Progress = lambda lines, _: lines,
) -> dict[str, str]:
    """Return program to path of a release as ``1.37.1``, after building those that are not in the cache.

    ``progress`` passes on a line for each package that is compiled, and takes what they are for. Raises ``UsageError``
    for what is no release, where there is no Go, and where Go cannot build it.
    """
    release = _RELEASE.fullmatch(name)
    if release is None:
        raise UsageError(Fault("--release", f"is {name!r}", "a release of Kubernetes, as 1.37.1"))
    version = release[1]
    folder = cached_release(version)
    if missing := [program for program in programs if not (folder / program).exists()]:
        if shutil.which("go") is None:
            accepted = "https://go.dev/dl, or --binaries"
            raise UsageError(Fault("--release", "needs Go, and there is none in PATH", accepted))
        with alone_in_cache(), contextlib.closing(TemporaryFolder("build-")) as workshop:
            folder.mkdir(exist_ok=True)
            missing = [program for program in missing if not (folder / program).exists()]
            _build(version, missing, workshop, folder, say, progress)
    return {program: str(folder / program) for program in programs}


def cached_release(version: str) -> Path:
    """Return the folder of the cache in which a release's programs lie."""
    return cache_folder() / f"kubernetes-{version}"


def _build(
    version: str,
    programs: list[str],
    temporary: TemporaryFolder,
    folder: Path,
    say: Callable[[str], None],
    progress: Progress,
) -> None:
    """Build programs one after the other, each moved to its place when it is whole."""
    workshop = temporary.path
    theirs = _published(version, temporary)
    for number, program in enumerate(programs, 1):
        say(f"building {program} of {version} ({number} of {len(programs)}; minutes, once) in {folder}")
        if program == "etcd":
            storage = _STORAGE.search(theirs)
            requires, package = [f"require {_ETCD} {storage[1] if storage else 'latest'}"], _ETCD
        else:
            requires, package = list(_kubernetes(version, theirs)), f"k8s.io/kubernetes/cmd/{program}"
        go_line = next(line for line in theirs.splitlines() if line.startswith("go "))
        (workshop / "go.mod").write_text("\n".join(["module conformance.example/release", go_line, *requires, ""]))
        (workshop / "go.sum").unlink(missing_ok=True)
        made = workshop / program
        stamp = f"-s -w -X {_STAMP}=v{version}"
        words = ("build", "-v", "-mod=mod", "-trimpath", "-ldflags", stamp, "-o", str(made), package)
        follow = lambda lines, what=f"building {program}": progress(lines, what)  # noqa: E731
        run_go(temporary, *words, accepted=_PUBLISHED, follow=follow)
        replace_bytes(folder / program, made.read_bytes(), mode=0o777)


def _published(version: str, workshop: TemporaryFolder) -> str:
    """Return the go.mod of a release, as it was published."""
    (workshop.path / "go.mod").write_text("module conformance.example/release\n")
    run_go(workshop, "mod", "download", f"k8s.io/kubernetes@v{version}", accepted=_PUBLISHED)
    cache = Path(run_go(workshop, "env", "GOMODCACHE", accepted=_PUBLISHED).strip())
    return (cache / f"cache/download/k8s.io/kubernetes/@v/v{version}.mod").read_text()


def _kubernetes(version: str, theirs: str) -> Iterator[str]:
    """Yield what a module says that builds a command of Kubernetes.

    None can be installed by version, because its go.mod replaces the staging modules by folders. They are published
    too, as v0.MINOR.PATCH.
    """
    yield f"require k8s.io/kubernetes v{version}"
    yield from (f"replace {staged} => {staged} v0.{version.removeprefix('1.')}" for staged in _STAGED.findall(theirs))
