"""What starts of nodes are told to is changed before the reference hears it, and the sentence that breaks is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import pytest

from asked_in_full import DEEP, deep
from numa_conformance.documentation.options import STATIC_OPTIONS
from numa_conformance.protocol import FEATURES
from numa_conformance.suite.asking.asking import Asking
from numa_conformance.suite.generators.scenario import Scenario
from numa_conformance.suite.generators.start_sweeps import node_starts
from planted import documented_reference, mixed

Answer = Mapping[str, Any]
Change = Callable[[dict[str, Any]], Any]
FULL, CORES = "full-pcpus-only", "distribute-cpus-across-cores"
STRICT, UNCORE = "strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"
ALL = frozenset(FEATURES)
DOWN = {"result": "failed", "stage": "kubelet", "message": "no"}
LIMIT = "topology-manager/max-allowable-numa-nodes/"


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
    outcome = Asking(_starts(), _Changed(change), "1.32", enough=enough).spend()  # type: ignore[arg-type]
    return outcome.verdicts.unmet


def opens_every_gate(config: dict[str, Any]) -> None:
    config["featureGates"] = {"CPUManagerPolicyAlphaOptions": True}


def ignores_every_option(config: dict[str, Any]) -> None:
    config.pop("cpuManagerPolicyOptions", None)


def ignores_hidden_options(config: dict[str, Any]) -> None:
    gates = config.get("featureGates") or {}
    if gates.get("CPUManagerPolicyOptions") is False:
        config.pop("cpuManagerPolicyOptions", None)
    for name in list(config.get("cpuManagerPolicyOptions") or ()):
        alpha = name != FULL and not gates.get("CPUManagerPolicyAlphaOptions")
        if alpha or (name == FULL and gates.get("CPUManagerPolicyBetaOptions") is False):
            del config["cpuManagerPolicyOptions"][name]


def enables_options_by_the_gate(config: dict[str, Any]) -> None:
    if (config.get("featureGates") or {}).get("CPUManagerPolicyAlphaOptions") and config.get(
        "cpuManagerPolicy"
    ) == "static":
        config["cpuManagerPolicyOptions"] = {STRICT: "true", **config.get("cpuManagerPolicyOptions", {})}


def drops_one_of_two_options(config: dict[str, Any]) -> Answer | None:
    return DOWN if len(config.get("cpuManagerPolicyOptions") or ()) > 1 else None


def keeps_the_first_option(config: dict[str, Any]) -> None:
    options = config.get("cpuManagerPolicyOptions") or {}
    if len(options) > 1:
        config["cpuManagerPolicyOptions"] = dict([next(iter(options.items()))])


def is_static_by_default(config: dict[str, Any]) -> None:
    config.setdefault("cpuManagerPolicy", "static")


def aligns_by_default(config: dict[str, Any]) -> None:
    config.setdefault("topologyManagerPolicy", "restricted")


def aligns_pods_by_default(config: dict[str, Any]) -> None:
    config.setdefault("topologyManagerScope", "pod")


def overlooks_system_reserved(config: dict[str, Any]) -> None:
    config.pop("systemReserved", None)


def adds_amounts_to_the_list(config: dict[str, Any]) -> None:
    if config.get("kubeReserved", {}).get("cpu"):
        config.pop("reservedSystemCPUs", None)


def has_no_limit_of_numa_nodes(config: dict[str, Any]) -> None:
    if "topologyManagerPolicy" in config:
        config["topologyManagerPolicyOptions"] = {"max-allowable-numa-nodes": "true"}
        config.pop("featureGates", None)


def cannot_raise_the_limit(config: dict[str, Any]) -> None:
    config.pop("topologyManagerPolicyOptions", None)


def takes_eight_for_too_many(config: dict[str, Any]) -> Answer | None:
    return DOWN if config.get("topologyManagerPolicy", "none") != "none" else None


BROKEN: list[tuple[Change, set[str]]] = [
    (opens_every_gate, {f"cpu-manager/{name}/stays-hidden" for name in STATIC_OPTIONS}),
    (ignores_every_option, {f"cpu-manager/{name}/is-available" for name in STATIC_OPTIONS if name != UNCORE}),
    (enables_options_by_the_gate, {"cpu-manager/options/are-named-one-by-one"}),
    (drops_one_of_two_options, {"cpu-manager/options/add-up"}),
    (
        keeps_the_first_option,
        {f"cpu-manager/{CORES}/refuses-{FULL}", f"cpu-manager/{CORES}/refuses-distribution-across-numa"},
    ),
    (is_static_by_default, {"cpu-manager/policy/defaults-to-none"}),
    (aligns_by_default, {"topology-manager/policy/defaults-to-none"}),
    (aligns_pods_by_default, {"topology-manager/scope/defaults-to-container"}),
    (overlooks_system_reserved, {"cpu-manager/reservation/adds-kube-and-system"}),
    (adds_amounts_to_the_list, {"cpu-manager/reservation/explicit-list-is-taken"}),
    (has_no_limit_of_numa_nodes, {f"{LIMIT}default-is-eight", "topology-manager/policy-options/need-their-gates"}),
    (cannot_raise_the_limit, {f"{LIMIT}is-set-to-true", f"{LIMIT}raises-the-limit"}),
    (takes_eight_for_too_many, {f"{LIMIT}eight-are-accepted"}),
]


@pytest.mark.parametrize(
    ("change", "found"), BROKEN if DEEP else BROKEN[::5], ids=lambda value: getattr(value, "__name__", "")
)
def test_a_wrong_start_is_found(change: Change, found: set[str]) -> None:
    assert found <= planted(change, frozenset(found))


@deep
def test_a_hidden_option_may_be_ignored() -> None:
    assert planted(ignores_hidden_options) == set()
