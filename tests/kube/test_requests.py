from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.kube import Container, Pod, Quantity, pod_limits, pod_requests, pod_total


def container(name: str, amount: int, *, sidecar: bool = False, resource: str = "cpu") -> Container:
    amounts = {resource: Quantity(amount)}
    return Container(name, amounts, amounts, restart_always=sidecar)


def make(init: list[Container], apps: list[Container], **more: Any) -> Pod:
    return Pod("u", "p", "default", tuple(init), tuple(apps), **more)


def cpus(one: Container) -> int:
    return one.requests["cpu"].value


def test_sidecars_run_beside_what_comes_after_them() -> None:
    init = [container("a", 2), container("s", 1, sidecar=True), container("b", 3)]
    assert pod_total(make(init, [container("x", 1), container("y", 1)]), cpus) == 4


def test_overhead_belongs_to_requests_and_not_to_limits() -> None:
    pod = make([], [container("x", 1)], overhead={"cpu": Quantity.parse("250m"), "memory": Quantity.parse("32Mi")})
    assert {name: str(amount) for name, amount in pod_requests(pod).items()} == {"cpu": "1250m", "memory": "32Mi"}
    assert pod_limits(pod) == {"cpu": Quantity(1)}


CONTAINERS = st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=5)


@given(CONTAINERS, st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_the_total_is_the_busiest_moment(init: list[tuple[int, bool]], apps: list[int]) -> None:
    pod = make(
        [container(f"i{i}", amount, sidecar=sidecar) for i, (amount, sidecar) in enumerate(init)],
        [container(f"a{i}", amount) for i, amount in enumerate(apps)],
    )
    moments = [amount + sum(earlier for earlier, sidecar in init[:i] if sidecar) for i, (amount, _) in enumerate(init)]
    moments.append(sum(apps) + sum(amount for amount, sidecar in init if sidecar))
    assert pod_total(pod, cpus) == max(moments)
    assert pod_requests(pod)["cpu"].value == max(moments)
