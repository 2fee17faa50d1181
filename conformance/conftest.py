"""Fixtures of the suite's entry points: the target, and a new conversation with its node for each test.

README.md in this folder says what else it has.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Generator
from functools import partial

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from numa_conformance import chapters as chapters  # they declare what is judged
from numa_conformance.asking.examples.conversation import Conversation
from numa_conformance.asking.examples.goldens import Golden
from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.asking.machine_choice import MachineChoice
from numa_conformance.machine import Machine, load_machine
from numa_conformance.plugin.cases import TALLY, case_id, requirements_of
from numa_conformance.plugin.run import RUN, Run
from numa_conformance.plugin.spending import BY_HAND, NO_TIME
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire import Client

SMALL = ("t1-one-socket-smt2", "t2-two-sockets-interleaved", "t3-two-numa-per-socket")
"""Machines on which most tests run: one NUMA node, two alternating, four in two sockets."""

_QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
settings.register_profile(
    "numa-conformance",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=50,
    stateful_step_count=20,
    report_multiple_bugs=False,
    suppress_health_check=_QUIET,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)
settings.register_profile(
    "numa-conformance-no-shrink", settings.get_profile("numa-conformance"), phases=(Phase.explicit, Phase.generate)
)
settings.register_profile(
    "numa-conformance-deep",
    deadline=None,
    derandomize=False,
    database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
    max_examples=200,  # of a round: rounds follow each other as long as the budget lasts
    stateful_step_count=40,
    report_multiple_bugs=False,
    suppress_health_check=_QUIET,
)


def pytest_configure(config: pytest.Config) -> None:
    """Fix the search, unless a long one is asked for."""
    settings.load_profile(_profile(config))
    if _profile(config) != "numa-conformance-deep":
        _draw_no_constants_of_local_modules()


def _draw_no_constants_of_local_modules() -> None:
    """Keep Hypothesis from drawing values it finds in source files near by.

    Else what is drawn, and so a verdict, would change with code that has nothing to do with it.
    """
    # No setting of Hypothesis turns this off (6.170); a version without the name simply does what it does.
    providers = importlib.import_module("hypothesis.internal.conjecture.providers")
    if hasattr(providers, "is_local_module_file"):
        vars(providers)["is_local_module_file"] = lambda path: False


def _profile(config: pytest.Config) -> str:
    run = config.stash.get(RUN, None)
    if run is not None and run.deep:
        return "numa-conformance-deep"
    return "numa-conformance" if run is None or run.shrinks else "numa-conformance-no-shrink"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Spend no search for the smallest scenario on a failure that is known."""
    run = item.config.stash.get(RUN, None)
    if run is None or not run.known.covers(case_id(item), requirements_of(item)):
        return (yield)
    if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
        settings.get_profile("numa-conformance-no-shrink")(item.obj)  # it has taken the settings of its import
    return (yield)


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
def before_asking(conformance: Run) -> Callable[[Machine], None]:
    """Return what leaves a case out on a machine that is not chosen, and where there is no time for it."""

    def check(machine: Machine) -> None:
        if not conformance.machines.has(machine):
            pytest.skip(f"not asked: {machine.name} is no machine that is chosen")
        if not conformance.spending.left(BY_HAND):
            pytest.skip(NO_TIME)

    return check


@pytest.fixture
def ask(
    conformance: Run,
    requirements: tuple[str, ...],
    before_asking: Callable[[Machine], None],
    request: pytest.FixtureRequest,
) -> Conversation:
    """Return a way to ask the target, which judges what it answers by the requirement of the running test."""
    version, tell = str(conformance.profile.version), partial(request.node.stash.__setitem__, TALLY)
    return Conversation(conformance.client, requirements, version, tell, before=before_asking)


@pytest.fixture
def node(conformance: Run, requirements: tuple[str, ...], before_asking: Callable[[Machine], None]) -> NodeRun:
    """Return a conversation with the target's node; nothing is started yet."""
    asked = conformance.profile.version
    own = KubernetesVersion.parse(conformance.client.description.kubernetes_version)
    return NodeRun(conformance.client, requirements[0], None if asked == own else asked, before_asking)


@pytest.fixture
def golden(conformance: Run, request: pytest.FixtureRequest) -> Golden:
    """Return the golden text of the running test: the kubelet's, or the target's own."""
    target = conformance.client.description.name
    return conformance.snapshots.golden(case_id(request.node), conformance.profile.version, target)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes ``machine`` on each machine asked for."""
    if "machine" in metafunc.fixturenames:
        run = metafunc.config.stash.get(RUN, None)
        chosen = MachineChoice() if run is None else run.machines
        machines = chosen.named or {name: machine for name in SMALL if chosen.has(machine := load_machine(name))}
        names = [os.path.basename(name).removesuffix(".yaml") for name in machines]
        metafunc.parametrize("machine", list(machines.values()), ids=names)


__all__ = ["Machine", "ask", "before_asking", "conformance", "golden", "node", "requirements", "target"]
