"""A cluster that is up is found, asked and ended through a socket without a file: it is gone when its process is."""

import contextlib
import dataclasses
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import Fault, UsageError, closest

_PREFIX = "numa-conformance/cluster"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_SECONDS = 60.0
_FIRST = "numa-conformance cluster up first"


class Control:
    """The socket of a cluster of this user under a name. ``serve`` answers what ``OpenCluster.ask`` asks."""

    def __init__(self, name: str) -> None:
        """Take the name; raises ``UsageError`` where another cluster has it."""
        if not _NAME.fullmatch(name):
            raise UsageError(Fault("--name", f"is {name!r}", "at most 40 letters, digits, - . _"))
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(_address(name))
        except OSError as error:
            self._socket.close()
            text = f"a cluster {name!r} is up"
            raise UsageError(Fault("--name", text, f"cluster down {name}, or another --name")) from error

    def serve(self, answers: Mapping[str, Callable[..., Any]]) -> None:
        """Answer from now on, in threads; only this user and root are heard."""
        self._socket.listen()
        threading.Thread(target=self._accept, args=(answers,), daemon=True).start()

    def _accept(self, answers: Mapping[str, Callable[..., Any]]) -> None:
        while True:
            other, _ = self._socket.accept()
            _, user = _peer(other)
            if user in (os.geteuid(), 0):
                threading.Thread(target=_answer, args=(other, answers), daemon=True).start()
            else:
                other.close()


def _answer(other: socket.socket, answers: Mapping[str, Callable[..., Any]]) -> None:
    with other, other.makefile("rwb") as channel, contextlib.suppress(OSError, ValueError):
        for line in channel:
            verb, *words = json.loads(line)
            try:
                answer = {"answer": answers[verb](*words)}
            except Exception as error:  # the API server, or a kubelet's file, may say anything
                known = error if isinstance(error, UsageError) else UsageError(Fault(verb, f"has no answer: {error!r}"))
                answer = {"faults": [dataclasses.astuple(fault) for fault in known.faults]}
            channel.write(json.dumps(answer).encode() + b"\n")
            channel.flush()


class OpenCluster(contextlib.AbstractContextManager["OpenCluster"]):
    """A cluster that is up. ``process``: the number of the process that keeps it."""

    def __init__(self, name: str, connection: socket.socket) -> None:
        self.name = name
        self.process, _ = _peer(connection)
        self._connection = connection
        self._channel = connection.makefile("rwb")

    def ask(self, verb: str, *words: str) -> Any:
        """Return what it answers; raises ``UsageError`` as it does, and where it has ended meanwhile."""
        try:
            self._channel.write(json.dumps([verb, *words]).encode() + b"\n")
            self._channel.flush()
            line = self._channel.readline()
        except OSError:
            line = b""
        if not line:
            raise UsageError(Fault("", f"the cluster {self.name!r} has ended"))
        answer = json.loads(line)
        if "faults" in answer:
            raise UsageError([Fault(*fault) for fault in answer["faults"]])
        return answer["answer"]

    def __exit__(self, *error: object) -> None:
        """Let go of it."""
        self._channel.close()
        self._connection.close()

    def wait_for_its_end(self, seconds: float | None = _SECONDS) -> bool:
        """Wait until its process is gone; tell whether it is."""
        self._connection.settimeout(seconds)
        try:
            while self._connection.recv(4096):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True


def names_of_clusters() -> list[str]:
    """Return the names of this user's clusters that are up."""
    prefix = f"@{_PREFIX}/{os.getuid()}/"
    lines = Path("/proc/net/unix").read_text(errors="replace").splitlines()
    return sorted({line.split(prefix, 1)[1] for line in lines if prefix in line})


def open_cluster(name: str | None) -> OpenCluster:
    """Return a cluster by its name, or the only one there is; raises ``UsageError``."""
    names = names_of_clusters()
    if name is None:
        if len(names) != 1:
            listed = f"{len(names)} clusters are up" if names else "no cluster is up"
            raise UsageError(Fault("", listed, f"one of {', '.join(names)}" if names else _FIRST))
        name = names[0]
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(_address(name))
    except OSError as error:
        connection.close()
        accepted = ", ".join(names) or _FIRST
        raise UsageError(Fault("", f"no cluster {name!r} is up", accepted, closest(name, names))) from error
    _, user = _peer(connection)
    if user not in (os.getuid(), 0):
        connection.close()
        raise UsageError(Fault("", f"the cluster {name!r} is of another user"))
    return OpenCluster(name, connection)


def _address(name: str) -> str:
    return f"\0{_PREFIX}/{os.getuid()}/{name}"


def _peer(connection: socket.socket) -> tuple[int, int]:
    """Return process and user of the other side."""
    size = struct.calcsize("3i")
    process, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return process, user


@contextlib.contextmanager
def bring_up(nodes: Path | None, options: Sequence[str]) -> Iterator[OpenCluster]:
    """Bring up a cluster, with the options of ``up``, and end it afterwards; raises ``RuntimeError`` with its words."""
    name = f"own-{uuid.uuid4().hex[:12]}"
    words = [sys.executable, "-m", "numa_conformance", "cluster", "up", "--name", name, *options]
    words += [str(nodes)] if nodes else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            if (output := _until_up(process, name)) is not None:
                raise RuntimeError(f"the cluster did not come up: {output}")
            with open_cluster(name) as known:
                yield known
        finally:
            process.terminate()


def _until_up(process: subprocess.Popen[str], name: str) -> str | None:
    """Return None when a cluster is up, and what it said where it has ended."""
    assert process.stdout is not None
    output = []
    for line in process.stdout:
        output.append(line)
        if line.startswith("export KUBECONFIG=") and name in names_of_clusters():
            return None
    return "".join(output)
