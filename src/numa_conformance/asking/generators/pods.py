"""Pods to classify: those of the pages, and sweeps of small ones."""

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

import yaml

from ...files import text_of
from ...machine import load_machine
from .scenario import Scenario, ask_all
from .workloads import pod

DEVICE = "example.com/device"
Written = tuple["str | None", "str | None"]
"""A request and a limit as they are written; None where there is none."""
CPU: tuple[Written, ...] = (
    *((None, None), ("1", None), (None, "2"), ("1", "2"), ("2", "2"), ("2000m", "2"), ("2", "2.0")),
    *(("2e0", "2k"), ("2000e-3", "2"), (".5e1", "5."), ("1.5", "1500m"), ("1.001", "1001m")),
    *(("300m", "300m"), ("1", "1"), ("0", "0"), ("0", None), ("0", "2")),
)
MEMORY: tuple[Written, ...] = (
    *((None, None), ("100Mi", None), (None, "200Mi"), ("100Mi", "200Mi"), ("200Mi", "200Mi")),
    *(("1Gi", "1024Mi"), ("200M", "200e6"), ("200M", "200Mi"), ("200Mi", "209715201"), ("0", "0")),
    *(("1000k", "1M"), ("1k", "1Ki"), ("128974848000m", "128974848"), ("8589934592", "8Gi")),
    *(("1Ti", "1024Gi"), ("1T", "1E12"), ("0", "200Mi")),
)
OTHER_RESOURCES: tuple[Mapping[str, Written], ...] = (
    *({}, {DEVICE: ("1", "1")}, {"example.com/cpu": ("1", "1")}, {"ephemeral-storage": ("1Gi", "2Gi")}),
    {"hugepages-2Mi": ("64Mi", "64Mi")},
    {"hugepages-2Mi": ("64Mi", "64Mi"), "hugepages-1Gi": ("1Gi", "1Gi")},
)
"""What says nothing about the class."""
Way = tuple[Written, Written]
"""How cpu and memory of a container are written."""
TELLING: tuple[Way, ...] = (
    *(((None, None), (None, None)), (("2", "2"), ("200Mi", "200Mi")), ((None, "2"), (None, "200Mi"))),
    *(((None, "2"), ("200Mi", "200Mi")), (("1", "2"), ("200Mi", "200Mi")), (("2", "2"), ("100Mi", "200Mi"))),
    *((("3", "3"), ("1Gi", "1024Mi")), (("1500m", "1.5"), ("200Mi", "200Mi")), (("2", "2"), (None, None))),
    *(((None, None), ("200Mi", "200Mi")), (("1", None), ("100Mi", None))),
)
"""Containers that make a difference beside another."""
AS_A_WHOLE: tuple[Way, ...] = (
    *((("4", "4"), ("2Gi", "2Gi")), (("4", "5"), ("2Gi", "2Gi")), (("4", "4"), ("2Gi", "3Gi"))),
    *(((None, None), ("2Gi", "2Gi")), (("4", None), (None, None)), ((None, "4"), (None, "2Gi"))),
)
"""Amounts of a pod as a whole; none is less than what its containers ask for."""
RESTARTS: tuple[dict[str, str], ...] = ({}, {"restartPolicy": "Always"}, {"restartPolicy": "Never"})
"""Init containers, of which one that is always restarted is a sidecar."""
_pod = partial(pod, "p")


EXAMPLES: Mapping[str, Mapping[str, Any]] = yaml.safe_load(text_of(__package__, "pods_of_pages.yaml"))
"""The specs of the pods that the pages print; what several pages print is told once."""


def examples_of_pods() -> Iterator[Scenario]:
    """Yield a scenario for each pod of the pages; its spec is the page's, to the letter."""
    for number, (name, spec) in enumerate(EXAMPLES.items(), 1):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"example-{number}"}, "spec": spec}
        yield _classify("example", name, [pod])


def pod_sweep(*, as_a_whole: bool = True, lots: int = 300, seed: int = 0) -> Iterator[Scenario]:
    """Yield small pods: every way to write one container, every two that tell, and ``lots`` of several by lot.

    ``as_a_whole``: with pods that have resources of their own too.
    """
    alone = [_pod([_container("c", (cpu, memory))]) for cpu, memory in product(CPU, MEMORY)]
    yield _classify("sweep", "one container", alone)
    with_others = [
        _pod([_container("c", way, more)]) for way, more in product(TELLING, OTHER_RESOURCES) if _is_allowed(way, more)
    ]
    yield _classify("sweep", "one container with other resources", with_others)
    ways = list(product(TELLING, TELLING))
    apps = [_pod([_container("a", left), _container("b", right)]) for left, right in ways]
    yield _classify("sweep", "two app containers", apps)
    for kind, restart in (("init container", {}), ("sidecar", {"restartPolicy": "Always"})):
        pods = [_pod([_container("a", left)], [_container("b", right) | restart]) for left, right in ways]
        yield _classify("sweep", f"an app container and one {kind}", pods)
    wholes = [
        _with(_pod([_container("c", way)]), resources=_resources(whole)) for way, whole in product(TELLING, AS_A_WHOLE)
    ]
    if as_a_whole:
        yield _classify("sweep", "resources as a whole", wholes)
    overhead = [
        _with(_pod([_container("c", way)]), overhead={"cpu": cpu, "memory": "120Mi"})
        for way, cpu in product(TELLING, ("1", "250m"))
    ]
    yield _classify("sweep", "one container beside overhead", overhead)
    debugger = {"name": "debugger", "image": "example"}
    other = {"tolerations": [{"operator": "Exists"}], "volumes": [{"name": "v", "emptyDir": {}}], "resources": {}}
    debugged = [_with(_pod([_container("c", way)]), ephemeralContainers=[debugger], **other) for way in TELLING]
    yield _classify("sweep", "one container beside an ephemeral one", debugged)
    ports = {"env": [{"name": "A", "value": "1"}], "ports": [{"containerPort": 80}]}
    empty = [{"requests": {}, "limits": limits} for limits in ({}, {"cpu": "2", "memory": "200Mi"})]
    written = [_pod([{**_container("c", TELLING[0]), **ports, "resources": resources}]) for resources in empty]
    yield _classify("sweep", "one container that requests nothing in words", written)
    lot = random.Random(f"pods {seed}")
    yield _classify("sweep", "several containers by lot", [_by_lot(lot) for _ in range(lots)], seed)


def _is_allowed(way: Way, more: Mapping[str, Written]) -> bool:
    """Whether Kubernetes takes such a container: huge pages go with cpu or memory."""
    return any(any(written) for written in way) or not any(name.startswith("hugepages-") for name in more)


def _by_lot(lot: random.Random) -> dict[str, Any]:
    """Return a pod of up to seven containers, mostly such that it is Guaranteed; some ask for what says nothing."""
    ways: list[Way] = [((cpu, cpu), ("64Mi", "64Mi")) for cpu in ("1", "2", "3", "5000m", "1500m")]
    chance = lot.random()
    if chance < 0.3:
        ways.append(lot.choice(TELLING))
    elif chance < 0.4:
        ways = [((None, "2"), (None, "200Mi")), (("1", None), ("100Mi", None))]
    if lot.random() < 0.2:
        ways = [((None, None), (None, None))]

    def drawn(name: str) -> dict[str, Any]:
        way = lot.choice(ways)
        return _container(name, way, lot.choice([{}, *(more for more in OTHER_RESOURCES if _is_allowed(way, more))]))

    apps = [drawn(f"a{index}") for index in range(lot.randint(1, 4))]
    init = [drawn(f"i{index}") for index in range(lot.randint(0, 3))]
    return _pod(apps, [early | lot.choice(RESTARTS) for early in init])


def _container(name: str, way: Way, more: Mapping[str, Written] = MappingProxyType({})) -> dict[str, Any]:
    return {"name": name, "image": "example", "resources": _resources(way, more)}


def _resources(way: Way, more: Mapping[str, Written] = MappingProxyType({})) -> dict[str, Any]:
    named = {"cpu": way[0], "memory": way[1], **more}
    sides = (
        {resource: written[side] for resource, written in named.items() if written[side] is not None} for side in (0, 1)
    )
    return {kind: side for kind, side in zip(("requests", "limits"), sides, strict=True) if side}


def _with(pod: dict[str, Any], **amounts: Any) -> dict[str, Any]:
    """Add what the pod itself asks for or needs, beside its containers."""
    return {**pod, "spec": {**pod["spec"], **amounts}}


def _classify(generator: str, cell: str, pods: Sequence[Mapping[str, Any]], seed: int = 0) -> Scenario:
    questions = [("classify", {"pod": pod}) for pod in pods]
    return Scenario(generator, f"classify {cell}", load_machine("one-cpu"), partial(ask_all, questions), seed)
