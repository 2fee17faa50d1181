"""Nodes that start wrongly with damaged state files, or those of other settings: they are found out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from chapters.test_restart import Json, Node, damaged

CPU, RESTART = "cpu-manager/state-file/", "node/restart/"


class SharesEverything(Node):
    """Passes over a file that it cannot read, and takes all CPUs for free ones."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return self.up("0-31") if answer["result"] == "failed" and params.get("files") else answer


class GivesAllTheSame(Node):
    """Takes every number of a file that it cannot read for 1."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return self.up("0", "1") if answer["result"] == "failed" and params.get("files") else answer


class BelievesAnyNumber(Node):
    """Shares CPUs that a file names, though there are no such."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return self.up("0-999") if answer["result"] == "failed" and params.get("files") else answer


class NeverComesBack(Node):
    """Stays down once it was down."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        self.down = self.down or answer["result"] == "failed"
        return {"result": "failed", "stage": "cpumanager", "message": "broken"} if self.down else answer


class TakesAnyPolicy(Node):
    """Comes up with the state files of other settings."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        return self.up(self.pool) if answer["result"] == "failed" and params.get("kubelet") else answer


class TakesAnyMachine(Node):
    """Comes up with the state file of another machine."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        if answer["result"] == "failed" and "machine" in params:
            return {"result": "started", "default_cpuset": "0-3", "reserved_cpus": "0", "allocatable_cpus": "1-3"}
        return answer


class ChangesNoPolicy(Node):
    """Stays down with another policy, deleted files or not."""

    def again(self, answer: Json, params: Mapping[str, Any]) -> Json:
        if (params.get("kubelet") or {}).get("cpuManagerPolicy") == "none":
            return {"result": "failed", "stage": "cpumanager", "message": "another policy"}
        return answer


PLANTED: list[tuple[type[Node], str]] = [
    (SharesEverything, RESTART + "damaged-files-give-nothing-twice"),
    (GivesAllTheSame, RESTART + "damaged-files-give-nothing-twice"),
    (BelievesAnyNumber, RESTART + "damaged-files-name-no-cpus-that-are-not-there"),
    (NeverComesBack, RESTART + "admits-again-what-was-there"),
    (TakesAnyPolicy, CPU + "policy-change-is-refused"),
    (TakesAnyMachine, CPU + "changed-cpus-are-refused"),
    (ChangesNoPolicy, CPU + "policy-change-works-once-deleted"),
    (ChangesNoPolicy, CPU + "policy-change-names-the-file"),
]


@pytest.mark.parametrize(("make", "requirement"), PLANTED)
def test_a_node_that_starts_wrongly_is_found_out(make: type[Node], requirement: str) -> None:
    assert requirement in damaged(make(), enough=frozenset({requirement})).unmet
