"""Targets that read hosts are sent each machine as a tree, and others nothing of the kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.machine.hostfs import read_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import BadReply, Client, InProcess
from numa_conformance.wire.connection import MOST_TREES, HostTrees
from numa_conformance.wire.messages.classify import Classify
from numa_conformance.wire.messages.node import ReadState, StartNode
from numa_conformance.wire.messages.pick import Pick

MACHINE = machine_to_dict(load_machine("t1-one-socket-smt2"))


class ReadsHosts(ReferenceTarget):
    """Takes what it knows of a machine from its tree."""

    wants: Any = ("host_root",)
    roots: ClassVar[list[Path]] = []

    def describe(self, request: Any) -> Any:
        return msgspec.structs.replace(super().describe(request), wants=list(self.wants))

    def pick(self, request: Pick) -> Any:
        assert isinstance(request.host_root, str)
        self.roots.append(Path(request.host_root))
        machine = machine_to_dict(read_machine(request.host_root))
        return super().pick(msgspec.structs.replace(request, machine=machine))


def test_a_machine_is_laid_out_once_and_removed_in_the_end() -> None:
    client = Client(InProcess(ReadsHosts, "reads"))
    ReadsHosts.roots.clear()
    answers = [msgspec.to_builtins(client.ask(Pick(MACHINE, "1-7", count))) for count in (2, 9)]
    assert [answer["result"] for answer in answers] == ["picked", "refused"]
    assert len(set(ReadsHosts.roots)) == 1
    client.ask(StartNode(MACHINE, {}))
    client.ask(ReadState())
    client.ask(Classify({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}))
    assert ReadsHosts.roots[0].is_dir()
    client.close()
    assert not ReadsHosts.roots[0].exists()


def test_a_target_that_does_not_want_it_is_not_sent_it() -> None:
    seen = []

    class Plain(ReferenceTarget):
        def pick(self, request: Pick) -> Any:
            seen.append(msgspec.to_builtins(request))
            return super().pick(request)

    Client(InProcess(Plain, "plain")).ask(Pick(MACHINE, "1-7", 2))
    assert "host_root" not in seen[0]


def test_wishes_that_are_not_known_are_refused() -> None:
    class Wants(ReadsHosts):
        wants = ("the moon",)

    with pytest.raises(BadReply, match="the moon"):
        Client(InProcess(Wants, "wants"))


def test_the_oldest_trees_go_first() -> None:
    trees = HostTrees()
    small = machine_to_dict(load_machine("one-cpu"))
    roots = [Path(trees.root_of({**small, "name": f"m{number}"})) for number in range(MOST_TREES + 1)]
    assert [root.exists() for root in roots] == [False, *[True] * MOST_TREES]
    trees.close()
    assert not any(root.exists() for root in roots)


def test_what_is_no_machine_cannot_be_laid_out() -> None:
    with pytest.raises(UsageError, match="machine"):
        HostTrees().root_of({"cpus": 7})
