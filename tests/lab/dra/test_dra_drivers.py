"""DRA drivers as they are, started on machines that are not there: right ones, and some wrong in one way each."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from asked_in_full import deep
from dra_drivers import WRONG, build, machine_for
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.claims import claims
from numa_conformance.asking.outcomes import GroupOutcome
from numa_conformance.errors import UsageError
from numa_conformance.lab.dra.driver_process import DriverProcess
from numa_conformance.lab.dra.target import DraTarget
from numa_conformance.machine import load_machine
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.claims import UnprepareClaim

PYTHON = (
    sys.executable,
    str(Path(__file__).with_name("driver.py")),
    "{kubeconfig}",
    "{kubelet_folder}",
    "{cdi_folder}",
    "{host_root}",
)
PLACES = ("-kubeconfig", "{kubeconfig}", "-node", "{node_name}", "-kubelet", "{kubelet_folder}", "-cdi", "{cdi_folder}",
          "-root", "{host_root}")  # fmt: skip
RESERVED = ("-reserved", "{reserved_cpus}")
DRIVER = "dra-driver/"
ALWAYS, WITH_SOCKETS, WITH_RESERVED = 15, 1, 1
"""What is asked of a driver without sockets and reserved CPUs, and of one that has them."""


def asked(*words: str, machine: str = "snc2-small") -> GroupOutcome:
    """Ask a driver on one machine."""
    target = DraTarget(DriverProcess(words))
    client = Client(InProcess(lambda: target, "driver"))
    try:
        return Asking(claims(client.features, [load_machine(machine)]), client, "1.37").spend()
    finally:
        client.close()
        target.close()


def unmet(*words: str, machine: str = "snc2-small") -> set[str]:
    return {name.removeprefix(DRIVER) for name in asked(*words, machine=machine).verdicts.unmet}


def _count(outcome: GroupOutcome) -> int:
    return sum(name.startswith(DRIVER) for name in outcome.verdicts.tests)


def test_a_right_driver_meets_all_that_is_asked() -> None:
    outcome = asked(*PYTHON)
    assert outcome.verdicts.unmet == set()
    assert _count(outcome) == ALWAYS


@pytest.mark.parametrize(
    ("way", "broken"),
    [
        ("keeps", {"unprepare/gives-back", "claims/get-what-they-consume"}),
        pytest.param("forgets", {"restart/keeps-claims"}, marks=deep),
        ("tells-nothing", {"claims/get-what-they-consume"}),
        pytest.param("no-cdi", {"claims/can-have-what-is-published"}, marks=deep),
    ],
)
def test_one_that_is_wrong_in_one_way_is_found(way: str, broken: set[str]) -> None:
    assert unmet(*PYTHON, way) == broken


OTHERS = (PYTHON[0], str(Path(__file__).with_name("other_driver.py")), *PYTHON[2:])
WITHOUT_CPUS = 11
"""What is asked of a driver whose devices have no CPUs."""


KINDS = pytest.mark.parametrize("kind", ["memory", pytest.param("nics", marks=deep)])


@KINDS
def test_a_right_driver_without_cpus_is_asked_all_that_needs_none(kind: str) -> None:
    outcome = asked(*OTHERS, kind)
    assert outcome.verdicts.unmet == set()
    assert _count(outcome) == WITHOUT_CPUS


@pytest.mark.parametrize(
    ("way", "machine", "broken"),
    [
        ("renames", "snc2-small", {"devices/are-published-again"}),
        pytest.param("keeps", "snc2-small", {"unprepare/gives-back"}, marks=deep),
        pytest.param("counts", "sparse-ids", {"devices/name-numa-nodes-of-the-machine"}, marks=deep),
        pytest.param("refuses", "snc2-small", {"claims/prepare-is-idempotent", "restart/keeps-claims"}, marks=deep),
    ],
)
@KINDS
def test_one_without_cpus_that_is_wrong_in_one_way_is_found(
    kind: str, way: str, machine: str, broken: set[str]
) -> None:
    assert unmet(*OTHERS, kind, way, machine=machine) == broken


def test_what_registers_as_something_else_is_told() -> None:
    outcome = asked(*PYTHON, "other-type")
    assert outcome.verdicts.unmet == {DRIVER + "devices/are-published"}
    assert "no DRA driver that speaks v1.DRAPlugin" in outcome.verdicts.broken[0].violation.got


def test_one_that_ends_is_told_with_its_last_words() -> None:
    outcome = asked(sys.executable, "-c", "import sys; sys.exit('no cluster')", "{cdi_folder}")
    assert outcome.verdicts.unmet == {DRIVER + "devices/are-published"}
    assert outcome.verdicts.broken[0].violation.got.endswith("has not registered. It said: no cluster")


def test_nothing_is_asked_of_a_driver_that_was_not_started() -> None:
    target = DraTarget(DriverProcess([sys.executable, "{cdi_folder}"]))
    with pytest.raises(UsageError, match="no driver was started"):
        target.claims_unprepare(UnprepareClaim("a", "default", "a"))
    target.close()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Build the driver in Go."""
    return build(tmp_path_factory.mktemp("dra") / "dra-cpus")


@deep
def test_a_right_one_in_go_meets_all_that_is_asked(built: str) -> None:
    outcome = asked(built, *PLACES, *RESERVED)
    assert outcome.verdicts.unmet == set()
    assert _count(outcome) == ALWAYS + WITH_SOCKETS + WITH_RESERVED


@deep
@pytest.mark.parametrize(("way", "broken"), WRONG.items())
def test_one_in_go_that_is_wrong_in_one_way_is_found(built: str, way: str, broken: str) -> None:
    assert broken in unmet(built, *PLACES, *RESERVED, "-wrong", way, machine=machine_for(way))
