"""A DRA driver as it is on a node of a cluster of real parts: the scheduler allocates, the kubelet has it prepare."""

from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("cryptography", reason="the extra [lab] is not installed")

from asked_in_full import DEEP
from clusters import FOLDER, needs_cluster
from dra_drivers import WRONG, build, machine_for
from kubelets import needs_namespaces
from numa_conformance.asking.asking import Asking
from numa_conformance.asking.generators.claims import claims
from numa_conformance.errors import UsageError
from numa_conformance.lab.cluster.dra_driver import ClusterDriver
from numa_conformance.lab.dra.target import DraTarget
from numa_conformance.machine import load_machine
from numa_conformance.wire import Client, InProcess
from numa_conformance.wire.messages.claims import UnprepareClaim

TOLD = ("-kubeconfig", "{kubeconfig}", "-node", "{node_name}", "-reserved", "{reserved_cpus}")
NOT_SEEN = {"anew", "refuses-again"}
"""A kubelet asks a driver once to prepare a claim, and never to unprepare one that it has not prepared."""
ASKED = 16


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    return build(tmp_path_factory.mktemp("dra") / "dra-cpus")


def asked(*words, machine="snc2-small"):
    target = DraTarget(ClusterDriver(words, Path(FOLDER)))
    client = Client(InProcess(lambda: target, "driver"))
    try:
        return Asking(claims(client.features, [load_machine(machine)]), client, "1.37").spend().verdicts
    finally:
        client.close()
        target.close()


@needs_namespaces
@needs_cluster
def test_a_right_one_meets_all_that_is_asked(driver):
    verdicts = asked(driver, *TOLD)
    assert verdicts.unmet == set()
    assert sum(name.startswith("dra-driver/") for name in verdicts.tests) == ASKED


@needs_namespaces
@needs_cluster
@pytest.mark.parametrize("way", sorted(WRONG.keys() - NOT_SEEN) if DEEP else ["other-node", "keeps"])
def test_one_that_is_wrong_in_one_way_is_found(driver, way):
    assert f"dra-driver/{WRONG[way]}" in asked(driver, *TOLD, "-wrong", way, machine=machine_for(way)).unmet


@needs_namespaces
@needs_cluster
def test_one_that_ends_is_told_with_its_last_words():
    verdicts = asked("sh", "-c", "echo 'Error: no cluster'; exit 1")
    assert verdicts.unmet == {"dra-driver/devices/are-published"}
    assert "no cluster" in verdicts.broken[0].violation.got


def test_nothing_is_asked_of_a_driver_that_was_not_started():
    driver = ClusterDriver(["true"], Path("nowhere"))
    target = DraTarget(driver)
    with pytest.raises(UsageError, match="no driver was started"):
        driver._ask("status")
    target.claims_unprepare(UnprepareClaim("a", "default", "a"))
    target.close()
