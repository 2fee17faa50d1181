"""Generators ask of pods that an API server would let through: a shim may well validate what it is given."""

import pytest

from asked_in_full import DEEP
from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.option_probes import probe_of
from numa_conformance.asking.groups import GROUPS
from numa_conformance.kube import Pod
from numa_conformance.machine import catalogue_names, load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.options import STATIC_OPTIONS
from numa_conformance.wire.features import FEATURES

MOST = 60 if DEEP else 15
"""Scenarios of a group."""


def pods_asked(group, most):
    client = Directly(ReferenceTarget("documented"))
    for number, scenario in enumerate(GROUPS[group].scenarios(frozenset(FEATURES), 0)):
        if number == most:
            return
        for step in drive(scenario, client, "1.32")[0].steps:
            yield from filter(None, [step.params.get("pod"), *step.params.get("pods", ())])


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_every_pod_is_a_valid_one(group):
    asked = 0
    for pod in pods_asked(group, MOST):
        if "name" in pod.get("metadata", {}):
            Pod.from_dict(pod, "pod")
            asked += 1
    assert asked or group in ("picks", "merges", "plugins", "claims")


def test_every_option_has_a_probe():
    machines = [load_machine(name) for name in catalogue_names()]
    assert [name for name in STATIC_OPTIONS if not any(probe_of(name, machine) for machine in machines)] == []
