"""Which CPUs the shared pool may have or not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from numa_conformance.conformance.pairs.worlds import held, node, resident

from numa_conformance.asking.generators.workloads import container, pod, static
from numa_conformance.chapters.cpu import shared_pool
from numa_conformance.judging.node_subjects import NodeMoment
from worlds import breaks


@pytest.mark.parametrize("pool", ["0,2-4,6-7", "0,2-7"])
def test_an_ended_init_container_may_have_left_its_cpus_to_either(pool: str) -> None:
    wanted = pod("p", [container("c", cpu="1", memory="64Mi")], [container("i", cpu="2", memory="64Mi")])
    ran = replace(resident(wanted, i=held("1,5"), c=held("1")), ran=True)
    moment = NodeMoment(node("t1-one-socket-smt2", static(), ran, pool=pool))
    assert breaks(shared_pool.pool_loses_nothing, moment) is False
