"""A real kernel with several NUMA nodes: a virtual machine in software emulation, with this Python and this package.

Needs ``qemu-system-x86_64``, a static busybox and a kernel, ``NUMA_TEST_KERNEL``; ``.ci/guest-kernel`` fetches one.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import numa_conformance
from processes import PATIENCE

QEMU, BUSYBOX = shutil.which("qemu-system-x86_64"), shutil.which("busybox")
KERNEL = os.environ.get("NUMA_TEST_KERNEL", "")
_WANTED = {"qemu-system-x86_64": QEMU, "busybox": BUSYBOX, "a kernel in NUMA_TEST_KERNEL": KERNEL}
MISSING = [name for name, there in _WANTED.items() if not there]
needs_qemu = pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)} (tox run -e real-numa)")
_LEFT_OUT = frozenset(
    {"test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "distutils", "config-3"}
)
_NODES, _SOCKETS, _CORES, _THREADS = 4, 2, 4, 2
_INIT = """#!/bin/busybox sh
export PATH=/bin
/bin/busybox mkdir -p /proc /sys /dev /tmp /run
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox mount -t devtmpfs devtmpfs /dev
/bin/busybox mount -t cgroup2 cgroup2 /sys/fs/cgroup
/bin/busybox stty -F /dev/ttyS1 raw
PYTHONPATH={path} {python} /guest.py > /tmp/answer 2> /tmp/trouble
/bin/busybox cat /tmp/trouble > /dev/ttyS0
/bin/busybox cat /tmp/answer > /dev/ttyS1
/bin/busybox sync
/bin/busybox poweroff -f
"""


_PATH = [str(Path(numa_conformance.__file__).parents[1]), str(Path(yaml.__file__).parents[1])]


def in_a_guest(program: Path, folder: Path) -> dict:
    """Run a program of Python in a machine of two sockets, four NUMA nodes and 16 CPUs; return the JSON it prints."""
    initramfs, answer = folder / "initramfs", folder / "answer"
    with gzip.open(initramfs, "wb", compresslevel=1) as out:
        out.write(b"".join(_archive(program)))
    cpus = _SOCKETS * _CORES * _THREADS
    each = cpus // _NODES
    command = [str(QEMU), "-accel", "tcg", "-cpu", "Skylake-Server", "-m", "2048", "-nographic", "-no-reboot"]
    command += ["-smp", f"{cpus},sockets={_SOCKETS},cores={_CORES},threads={_THREADS}"]
    for node in range(_NODES):
        command += ["-object", f"memory-backend-ram,id=m{node},size=512M"]
        command += ["-numa", f"node,nodeid={node},cpus={node * each}-{node * each + each - 1},memdev=m{node}"]
    for one in range(_NODES):
        for other in range(_NODES):
            distance = 10 if one == other else 12 if one // 2 == other // 2 else 21
            command += ["-numa", f"dist,src={one},dst={other},val={distance}"]
    command += ["-nodefaults", "-kernel", KERNEL, "-initrd", str(initramfs), "-append", "console=ttyS0 quiet panic=-1"]
    command += ["-serial", "stdio", "-monitor", "none", "-serial", f"file:{answer}"]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL
    )
    told = answer.read_text() if answer.exists() else ""
    assert told, f"the guest told nothing\n{run.stdout[-4000:]}"
    return json.loads(told)


def _archive(program: Path) -> Iterator[bytes]:
    """Yield an archive in the format that kernels unpack (newc)."""
    python = os.path.realpath(sys.executable)
    files: dict[str, tuple[int, bytes]] = {
        "init": (0o100755, _INIT.format(python=python, path=":".join(_PATH)).encode()),
        "guest.py": (0o100644, program.read_bytes()),
        "bin/busybox": (0o100755, Path(str(BUSYBOX)).read_bytes()),
    }
    for path in _needed(python):
        files[str(path).lstrip("/")] = (0o100755, path.read_bytes())
    folders = {str(parent) for name in files for parent in Path(name).parents if str(parent) != "."}
    for number, name in enumerate(sorted(folders), 1):
        yield _entry(number, name, 0o040755, b"")
    for number, (name, (mode, content)) in enumerate(files.items(), len(folders) + 1):
        yield _entry(number, name, mode, content)
    yield _entry(0, "TRAILER!!!", 0, b"")


def _entry(number: int, name: str, mode: int, content: bytes) -> bytes:
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + "".join(f"{field:08x}" for field in fields).encode() + name.encode() + b"\0"
    head += b"\0" * (-len(head) % 4)
    return head + content + b"\0" * (-len(content) % 4)


def _needed(python: str) -> Iterator[Path]:
    """Yield this Python, its library, what the package imports, and the shared libraries of all that."""
    yield (binary := Path(python))
    libraries: set[Path] = set(_linked(binary))
    found: list[Path] = []
    for path in Path(sysconfig.get_paths()["stdlib"]).rglob("*"):
        wanted = not _LEFT_OUT & set(path.parts) and "site-packages" not in path.parts and "config-" not in str(path)
        if wanted and path.is_file() and path.suffix in (".py", ".so"):
            found.append(path)
    for place in _imported():
        own = place.rglob("*") if place.is_dir() else [place]
        found += [path for path in own if path.is_file() and path.suffix != ".pyc"]
    for path in found:
        if path.suffix == ".so":
            libraries.update(_linked(path))
    yield from found
    yield from libraries


def _linked(binary: Path) -> Iterator[Path]:
    told = subprocess.run(["ldd", str(binary)], capture_output=True, text=True, check=False).stdout
    for word in told.split():
        if word.startswith("/") and Path(word).exists():
            yield Path(word)


def _imported() -> list[Path]:
    """Return packages and modules that the commands import from outside the standard library."""
    program = (
        "import sys, numa_conformance.cli.check_node\n"
        "import numa_conformance.reference.target.reference_target\n"
        "tops = {sys.modules[name.partition('.')[0]] for name in list(sys.modules)}\n"
        "print('\\n'.join(getattr(module, '__file__', None) or '' for module in tops))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    stdlib = sysconfig.get_paths()["stdlib"]
    outside = [Path(path) for path in told if path and ("site-packages" in path or not path.startswith(stdlib))]
    return sorted({path.parent if path.name == "__init__.py" else path for path in outside})
