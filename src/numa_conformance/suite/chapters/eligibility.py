"""Whose containers get CPUs of their own, beside those of plain requests: implied ones, init containers, sidecars."""

from __future__ import annotations

from ..judge.chapter import Chapter, Judgement, applies, violated
from ..judge.given import Given
from .cpu.lifecycle import gives_the_number, served

chapter = Chapter("cpu-manager/static", since="1.8")


@chapter.requires(
    "cpu-manager/static/limits-alone-make-guaranteed",
    on=Given,
    rests_on=("nrm/static/example-6-class", "nrm/static/example-6-placement", "nrm/static/requests-default-to-limits"),
)
def limits_alone_give_cpus(given: Given) -> Judgement:
    """Where only limits are given requests default to them: such a pod is Guaranteed and gets exclusive CPUs.

    Requests default to limits: a container with limits alone gets the CPUs that it would get with both.
    """
    applies(given.settings.static, "the CPU Manager's policy is none")
    applies(given.exclusive, "the container asks for no CPUs of its own")
    applies(
        given.spec is not None and given.spec.implied & {"cpu", "memory"},
        "the container's requests for CPU and memory are given",
    )
    applies(given.had is None and not given.ended, "the pod was on the node before")
    served(given)
    return violated(
        given.cpus,
        f"container {given.key} has limits alone, of {given.exclusive} CPUs, and has no CPUs of its own",
        got=given.in_words,
        allowed=f"{given.exclusive} CPUs of its own",
    )


@chapter.requires(
    "cpu-manager/static/sidecars-and-init-containers-are-eligible",
    "cpu-manager/init-containers",
    on=Given,
    rests_on=("nrm/cpus/static-gives-exclusive-cpus", "sidecars/kubernetes/are-init-containers"),
)
def init_containers_and_sidecars_are_eligible(given: Given) -> Judgement:
    """Init containers and sidecars of a Guaranteed pod get exclusive CPUs for integral requests, as others do."""
    applies(given.settings.static, "the CPU Manager's policy is none")
    applies(given.exclusive, "the container asks for no CPUs of its own")
    applies(given.spec is not None and given.spec.kind != "app", "the container is an app container")
    applies(given.had is None and not given.ended, "the pod was on the node before")
    served(given)
    return gives_the_number(given)
