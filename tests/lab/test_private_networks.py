"""A daemon has a private network: a port that another has taken is free there, and what serves it is reached there."""

import socket
import sys
import threading
from collections.abc import Iterator

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from kubelets import needs_namespaces
from numa_conformance.lab.daemon import enter
from numa_conformance.lab.daemon.daemon import Daemon
from numa_conformance.machine import load_machine, machine_to_dict
from processes import PATIENCE

pytestmark = [needs_namespaces]
MACHINE = machine_to_dict(load_machine("one-cpu"))
LISTENS = """
import pathlib, socket, sys, time
port, server, up = sys.argv[1:4]
taken = socket.create_server(("127.0.0.1", int(port)))
words = socket.create_connection(("127.0.0.1", int(server))).recv(10) if int(server) else b""
pathlib.Path(up).write_bytes(b" ".join([words, *(name.encode() for _, name in socket.if_nameindex())]))
time.sleep(3600)
"""


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize("place", ["", "{place}"], ids=["at the usual places", "where it is told"])
def test_ports_and_devices_of_the_host_are_not_its_own_and_a_server_is_reached(taken, tmp_path, place) -> None:
    def answer(listening: socket.socket) -> None:
        with listening, listening.accept()[0] as met:
            met.send(b"served")

    up, server = tmp_path / "up", 1 + taken % 60000
    daemon = Daemon("plugin", [sys.executable, "-c", LISTENS, str(taken), str(server), str(up), place], ["{place}"])
    try:
        daemon.start(
            MACHINE, {}, {"{place}": ""}, port=server,
            listens=lambda listening: threading.Thread(target=answer, args=[listening]).start(),
        )  # fmt: skip
        assert daemon.wait(lambda: up.exists() and up.read_bytes(), PATIENCE, "come up") is None
        assert up.read_bytes() == b"served lo"
    finally:
        daemon.close()


def test_where_none_is_allowed_it_goes_on_in_the_hosts_and_that_is_said_once(monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(Daemon, "shares_network", False)
    forbidding = """
import sys
from numa_conformance.lab.daemon import enter
def refuse(): raise OSError(1, "no")
enter.enter_network_namespace = refuse
enter.main(*sys.argv[1:])
"""
    words = enter.entering
    monkeypatch.setattr(
        "numa_conformance.lab.daemon.daemon.entering",
        lambda *told, **named: [sys.executable, "-c", forbidding, *words(*told, **named)[3:]],
    )
    up = tmp_path / "up"
    daemon = Daemon("plugin", [sys.executable, "-c", LISTENS, "0", "0", str(up), "{place}"], ["{place}"])
    try:
        for _ in range(2):
            daemon.start(MACHINE, {}, {"{place}": ""})
            assert daemon.wait(lambda: up.exists() and up.read_bytes(), PATIENCE, "come up") is None
            daemon.end()
            up.unlink()
    finally:
        daemon.close()
    assert capsys.readouterr().err.count("no private networks are allowed here") == 1
