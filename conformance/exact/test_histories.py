"""Every generated conversation, answered as the kubelet of that version answers: to the id."""

from __future__ import annotations

import pytest

from numa_conformance.asking.asking import part_of
from numa_conformance.asking.findings.findings import Finding
from numa_conformance.asking.findings.telling import scenario_of
from numa_conformance.asking.groups import GROUPS
from numa_conformance.comparing.differing import STATE_FILES, differences
from numa_conformance.plugin.run import Run
from numa_conformance.plugin.spending import TELLING
from numa_conformance.report.reference_answers import open_reference
from numa_conformance.wire import Client

pytestmark = pytest.mark.exact


@pytest.mark.parametrize(
    "group",
    [
        pytest.param(
            name, marks=[pytest.mark.requirement(f"exact/histories/{name}"), pytest.mark.surfaces(group.surface)]
        )
        for name, group in GROUPS.items()
        if group.surface not in ("plugin", "claims")  # no kubelet answers as a device plugin, or a DRA driver
    ],
)
def test_answers_as_the_kubelet(group: str, target: Client, conformance: Run) -> None:
    asked = GROUPS[group]
    if asked.surface not in target.surfaces:
        pytest.skip(f"not claimed: the surface {asked.surface}")
    claimed = conformance.features & conformance.profile.offered
    files = [name for feature, name in STATE_FILES.items() if feature in claimed and asked.surface == "node"]
    scenarios = list(asked.scenarios_on(conformance.machines, claimed))
    if not scenarios:
        why = "what is claimed leads to" if conformance.machines.is_whole else "the machines that are chosen lead to"
        pytest.skip(f"not claimed: {why} no conversation of this kind")
    with open_reference("exact", conformance.profile.version) as reference:
        within = conformance.budget.of_time(conformance.spending.left(TELLING)).among(len(GROUPS))
        asking = part_of(scenarios, within)
        first = next(differences(asking, target, reference, str(conformance.profile.version), files), None)
    if first is not None:
        differs = first.differences[0]
        raise Finding(
            [f"exact/histories/{group}"],
            f"{differs.path} is not the kubelet's",
            got=differs.got,
            allowed=differs.expected,
            scenario=scenario_of(first.history),
        )
