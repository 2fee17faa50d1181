"""What versions before 1.32 do beside their pages: quirks that have ended."""

import pytest

from numa_conformance.asking.generators.workloads import container, pod, static
from numa_conformance.errors import Refusal, StartError
from numa_conformance.kube import KubeletConfiguration, Pod
from numa_conformance.machine import load_machine
from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.memory import StaticMemoryManager
from numa_conformance.reference.node import Node
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.quirks.areas import MemoryQuirks
from numa_conformance.sources.versions import KubernetesVersion
from reference.managers.memory.scenarios import asking, give, make_manager

OLD, NEW = (Quirks.of(KubernetesVersion.parse(text)).memory for text in ("1.31", "1.32"))


def grouped(quirks: MemoryQuirks) -> StaticMemoryManager:
    manager = make_manager(10, 10, 10, quirks=quirks)
    give(manager, asking("group", 15), Hint(0b011, True))
    return manager


def test_groups_may_cross() -> None:
    give(grouped(OLD), asking("across", 12), Hint(0b110, False))
    with pytest.raises(Refusal, match="preferred hint violates NUMA node allocation"):
        give(grouped(NEW), asking("across", 12), Hint(0b110, False))


def test_restart_compares_every_node() -> None:
    """A pod that goes gives its bytes back to the lower node first, whichever node they were taken from."""
    for quirks in (OLD, NEW):
        manager = make_manager(10, 10, quirks=quirks)
        for uid, amount in (("first", 8), ("second", 8)):
            give(manager, asking(uid, amount), Hint(0b11, True))
        manager.release("first", "c")
        fresh = make_manager(10, 10, quirks=quirks)
        if quirks is NEW:
            assert not fresh.restore(manager.nodes, manager.blocks)
        else:
            with pytest.raises(StartError, match="the expected machine state is different from the real one"):
                fresh.restore(manager.nodes, manager.blocks)


@pytest.mark.parametrize(
    ("version", "gates", "apart"),
    [("1.27", {}, False), ("1.28", {}, False), ("1.28", {"SidecarContainers": True}, False), ("1.29", {}, True)],
)
def test_sidecars_leave_their_resources(version: str, gates: dict[str, bool], apart: bool) -> None:
    side = container("side", cpu="2", memory="64Mi", sidecar=True)
    asked = Pod.from_dict(pod("p", [container("c", cpu="6", memory="64Mi")], init=[side]))
    config = KubeletConfiguration.from_dict(static(reserved="0,4", featureGates=gates))
    told = Node(load_machine("t1-one-socket-smt2"), config, kubernetes_version=version).admit(asked)
    assert told.admitted is not apart, "eight CPUs of six that are free, unless they are used twice"
    documented = Node(load_machine("t1-one-socket-smt2"), config, kubernetes_version=version, quirks=Quirks.none())
    assert not documented.admit(asked).admitted
