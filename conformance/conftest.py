"""Fixtures of the suite's entry points: the target, and a new conversation with its node for each test.

README.md in this folder says what else it has.
"""

from __future__ import annotations

import pytest

from numa_conformance import chapters as chapters  # they declare what is judged
from numa_conformance.asking.examples.goldens import Golden
from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.machine import Machine
from numa_conformance.plugin.cases import case_id, requirements_of
from numa_conformance.plugin.run import RUN, Run
from numa_conformance.plugin.spending import BY_HAND, NO_TIME
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire import Client


@pytest.fixture(scope="session")
def conformance(request: pytest.FixtureRequest) -> Run:
    """Return the run: level, version, features."""
    run = request.config.stash.get(RUN, None)
    if run is None:
        pytest.exit("the conformance suite runs with: pytest --numa-conformance", returncode=4)
    return run


@pytest.fixture(scope="session")
def target(conformance: Run) -> Client:
    """Return the implementation under test."""
    return conformance.client


@pytest.fixture
def requirements(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Return the ids of the requirements that the running test checks."""
    return tuple(requirements_of(request.node))


@pytest.fixture
def node(conformance: Run, requirements: tuple[str, ...]) -> NodeRun:
    """Return a conversation with the target's node; nothing is started yet.

    A case is left out on a machine that is not chosen, and where there is no time for it.
    """

    def before_asking(machine: Machine) -> None:
        if not conformance.machines.has(machine):
            pytest.skip(f"not asked: {machine.name} is no machine that is chosen")
        if not conformance.spending.left(BY_HAND):
            pytest.skip(NO_TIME)

    asked = conformance.profile.version
    own = KubernetesVersion.parse(conformance.client.description.kubernetes_version)
    return NodeRun(conformance.client, requirements[0], None if asked == own else asked, before_asking)


@pytest.fixture
def golden(conformance: Run, request: pytest.FixtureRequest) -> Golden:
    """Return the golden text of the running test: the kubelet's, or the target's own."""
    target = conformance.client.description.name
    return conformance.snapshots.golden(case_id(request.node), conformance.profile.version, target)


__all__ = ["Machine", "conformance", "golden", "node", "requirements", "target"]
