"""Whose containers get CPUs of their own, beside those of plain requests: implied ones, init containers, sidecars."""

from __future__ import annotations

from ..judge.checker import Guard, Judgement, checker, violated
from ..judge.given import Given
from .containers import gives_the_number, served, wants_its_own
from .guards import static

by_limits_alone = Guard[Given](
    "the container's requests for CPU and memory are given",
    lambda given: given.spec is not None and given.spec.implied & {"cpu", "memory"},
)
not_there_before = Guard[Given]("the pod was on the node before", lambda given: given.had is None and not given.ended)


@checker(
    "cpu-manager/static/limits-alone-make-guaranteed",
    Given,
    when=(static, wants_its_own, by_limits_alone, not_there_before, served),
)
def limits_alone_give_cpus(given: Given) -> Judgement:
    """Requests default to limits: a container with limits alone gets the CPUs that it would get with both."""
    return violated(
        given.cpus,
        f"container {given.key} has limits alone, of {given.exclusive} CPUs, and has no CPUs of its own",
        got=given.in_words,
        allowed=f"{given.exclusive} CPUs of its own",
    )


starts_before_the_apps = Guard[Given](
    "the container is an app container", lambda given: given.spec is not None and given.spec.kind != "app"
)


@checker(
    "cpu-manager/static/sidecars-and-init-containers-are-eligible",
    Given,
    when=(static, wants_its_own, starts_before_the_apps, not_there_before, served),
)
def init_containers_and_sidecars_are_eligible(given: Given) -> Judgement:
    """Init containers and sidecars have CPUs of their own for integral requests as others do."""
    return gives_the_number(given)
