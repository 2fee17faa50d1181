"""Small rewrites of questions and answers, of which changes are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numa_conformance.cpuset import CpuSet

from .change import Memory, Rewrite

__all__ = [
    "Json",
    "all_pods",
    "containers_of",
    "each_container",
    "each_holding",
    "fewer",
    "holdings_of",
    "in_kubelet",
    "in_machine",
    "without_affinity",
    "without_option",
]

Json = dict[str, Any]


def containers_of(pod: Json) -> Iterator[Json]:
    """Yield the containers of a pod, init containers first."""
    yield from pod["spec"].get("initContainers", ())
    yield from pod["spec"]["containers"]


def each_container(change: Callable[[Json], None]) -> Rewrite:
    """Change every container of the question's pod."""

    def rewrite(question: Json, memory: Memory) -> Json:
        for container in containers_of(question["pod"]):
            change(container)
        return question

    return rewrite


def all_pods(change: Callable[[Json], None]) -> Rewrite:
    """Change the question's pod."""

    def rewrite(question: Json, memory: Memory) -> Json:
        change(question["pod"])
        return question

    return rewrite


def in_kubelet(change: Callable[[Json], None]) -> Rewrite:
    """Change the question's kubelet configuration, where it brings one."""

    def rewrite(question: Json, memory: Memory) -> Json:
        if question.get("kubelet") is not None:
            question["kubelet"] = {**question["kubelet"]}
            change(question["kubelet"])
        return question

    return rewrite


def in_machine(change: Callable[[Json], None]) -> Rewrite:
    """Change the question's machine."""

    def rewrite(question: Json, memory: Memory) -> Json:
        change(question["machine"])
        return question

    return rewrite


def without_affinity(question: Json, memory: Memory) -> Json:
    """Ignore the affinity that the question names."""
    return {**question, "affinity": None}


def without_option(name: str) -> Rewrite:
    """Ignore one policy option of the CPU Manager."""

    def change(kubelet: Json) -> None:
        options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
        options.pop(name, None)
        kubelet["cpuManagerPolicyOptions"] = options

    return in_kubelet(change)


def each_holding(change: Callable[[Json, Json], None]) -> Rewrite:
    """Change what each container of an answer holds; the change also gets the whole answer."""

    def rewrite(answer: Json, memory: Memory) -> Json:
        for holding in (answer.get("containers") or {}).values():
            change(holding, answer)
        for pod in answer.get("pods") or ():
            for holding in (pod.get("containers") or {}).values():
                change(holding, answer)
        return answer

    return rewrite


def holdings_of(answer: Json, memory: Memory) -> Iterator[tuple[str, str, Json]]:
    """Yield pod, container and what it holds, wherever an answer to the last question tells it."""
    asked = memory.last
    pods = {pod["uid"]: pod.get("containers") or {} for pod in answer.get("pods") or ()}
    if "result" not in answer:
        pods = answer["containers"]
    elif answer.get("containers"):
        pods = {asked["pod"]["metadata"]["uid"] if "pod" in asked else asked["uid"]: answer["containers"]}
    for uid, containers in pods.items():
        for name, holding in containers.items():
            yield uid, name, holding


def fewer(cpus: str) -> str:
    """Return a set without its highest CPU."""
    return str(CpuSet(list(CpuSet.parse(cpus))[:-1]))
