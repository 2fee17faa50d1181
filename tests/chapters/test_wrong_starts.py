"""What starts of nodes are told to is changed before the reference hears it, and the sentence that breaks is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import pytest

from asked_in_full import deep
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.scenario import Scenario
from numa_conformance.asking.generators.start_sweeps import node_starts
from numa_conformance.wire import FEATURES
from planted import documented_reference, mixed

Answer = Mapping[str, Any]
Change = Callable[[dict[str, Any]], Any]
FULL, STRICT = "full-pcpus-only", "strict-cpu-reservation"
LIMIT = "topology-manager/max-allowable-numa-nodes/"
ALL = frozenset(FEATURES)
IN_USE = "cpu-manager/static/packs-few-cores-in-use"
"""A recommendation that the documented reference itself does not follow on a hybrid machine."""
DOWN = {"result": "failed", "stage": "kubelet", "message": "no"}


@lru_cache
def _starts() -> tuple[Scenario, ...]:
    return mixed(node_starts(ALL))


class _Changed:
    """The documented reference, to whose questions something is done first."""

    def __init__(self, change: Change) -> None:
        self.description = documented_reference().description
        self._change = change

    def call(self, method: str, params: Mapping[str, Any]) -> Any:
        if method != "node.start":
            return documented_reference().call(method, params)
        config = {name: dict(value) if isinstance(value, dict) else value for name, value in params["kubelet"].items()}
        answer = self._change(config)
        return (
            answer
            if isinstance(answer, Mapping)
            else documented_reference().call(method, {**params, "kubelet": config})
        )


def planted(change: Change, enough: frozenset[str] = frozenset()) -> set[str]:
    outcome = Asking(_starts(), _Changed(change), "1.32", enough=enough, only=enough or None).spend()  # type: ignore[arg-type]
    return outcome.verdicts.unmet


def ignores_hidden_options(config: dict[str, Any]) -> None:
    gates = config.get("featureGates") or {}
    if gates.get("CPUManagerPolicyOptions") is False:
        config.pop("cpuManagerPolicyOptions", None)
    for name in list(config.get("cpuManagerPolicyOptions") or ()):
        alpha = name != FULL and not gates.get("CPUManagerPolicyAlphaOptions")
        if alpha or (name == FULL and gates.get("CPUManagerPolicyBetaOptions") is False):
            del config["cpuManagerPolicyOptions"][name]


def overlooks_system_reserved(config: dict[str, Any]) -> None:
    config.pop("systemReserved", None)


def adds_amounts_to_the_list(config: dict[str, Any]) -> None:
    if config.get("kubeReserved", {}).get("cpu"):
        config.pop("reservedSystemCPUs", None)


def enables_options_by_the_gate(config: dict[str, Any]) -> None:
    if (config.get("featureGates") or {}).get("CPUManagerPolicyAlphaOptions") and config.get(
        "cpuManagerPolicy"
    ) == "static":
        config["cpuManagerPolicyOptions"] = {STRICT: "true", **config.get("cpuManagerPolicyOptions", {})}


def drops_one_of_two_options(config: dict[str, Any]) -> Answer | None:
    return DOWN if len(config.get("cpuManagerPolicyOptions") or ()) > 1 else None


def is_static_by_default(config: dict[str, Any]) -> None:
    config.setdefault("cpuManagerPolicy", "static")


def aligns_by_default(config: dict[str, Any]) -> None:
    config.setdefault("topologyManagerPolicy", "restricted")


def shows_options_without_their_gates(config: dict[str, Any]) -> None:
    if "topologyManagerPolicyOptions" in config:
        config.pop("featureGates", None)


def cannot_raise_the_limit(config: dict[str, Any]) -> None:
    config.pop("topologyManagerPolicyOptions", None)


def takes_eight_for_too_many(config: dict[str, Any]) -> Answer | None:
    return DOWN if config.get("topologyManagerPolicy", "none") != "none" else None


def reserves_on_one_node_only(config: dict[str, Any]) -> Answer | None:
    return DOWN if len(config.get("reservedMemory") or ()) > 1 else None


BROKEN: list[tuple[Change, set[str]]] = [
    (overlooks_system_reserved, {"cpu-manager/reservation/adds-kube-and-system"}),
    (adds_amounts_to_the_list, {"cpu-manager/reservation/explicit-list-is-taken"}),
    (enables_options_by_the_gate, {"cpu-manager/options/are-named-one-by-one"}),
    (drops_one_of_two_options, {"cpu-manager/options/add-up"}),
    (is_static_by_default, {"cpu-manager/policy/defaults-to-none"}),
    (aligns_by_default, {"topology-manager/policy/defaults-to-none"}),
    (shows_options_without_their_gates, {"topology-manager/policy-options/need-their-gates"}),
    (cannot_raise_the_limit, {f"{LIMIT}is-set-to-true", f"{LIMIT}raises-the-limit"}),
    (takes_eight_for_too_many, {f"{LIMIT}eight-are-accepted"}),
    (reserves_on_one_node_only, {"memory-manager/reserved-memory/comes-up-when-it-matches"}),
]
"""Beside the wrong starts among the mutants of ``tests/mutants``."""


@pytest.mark.parametrize(("change", "found"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_wrong_start_is_found(change: Change, found: set[str]) -> None:
    assert found <= planted(change, frozenset(found))


@deep
def test_a_hidden_option_may_be_ignored() -> None:
    assert planted(ignores_hidden_options) == {IN_USE}
