"""What a whole kubelet decides otherwise than its managers alone, as ``docs/validate-a-kubelet.md`` lists it.

The managers alone are the reference, or any target that has no loop around them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..wire.history.history import History
from .differing import Differing

THERE_ALREADY = "a pod that is there already is not admitted again"
AT_A_RESTART = "at a restart CPUs of a pod that is refused count as taken for those after it"
BEFORE_PLUGINS = "at a restart pods are admitted before device plugins have come back"

REPORTED_CACHES = "no kubelet takes a reported cache that covers a NUMA node for an uncore cache"

Answer = Mapping[str, Any]
_UNCORE = "prefer-align-cpus-by-uncorecache"
_POD = re.compile(r"pods\[([0-9]+)\]")


class OfAWholeKubelet:
    """Counts the differences of two targets that come from one of them being a whole kubelet, and the other not."""

    def __init__(self, first: bool, second: bool) -> None:
        """Take which of the two is a whole kubelet."""
        self._is_of_interest = first != second
        self._is_first = first
        self.histories: Counter[str] = Counter()

    def counts(self, differs: Differing) -> bool:
        """Tell whether a difference is one of these, and count it."""
        kind = self._kind(differs)
        if kind:
            self.histories[kind] += 1
        return bool(kind)

    def without(self, differs: Differing | None) -> Differing | None:
        """Return a difference unless it is one of these."""
        return None if differs is None or self._kind(differs) else differs

    def _kind(self, differs: Differing) -> str:
        if not self._is_of_interest:
            return ""
        return of_a_whole_kubelet(differs, differs.history if self._is_first else differs.other)


def of_a_whole_kubelet(differs: Differing, kubelet: History) -> str:
    """Return which of these a difference between a kubelet and other managers is; "" where it is none of them."""
    step = kubelet.steps[differs.step]
    if kubelet.head.machine.uncore_source == "reported" and _aligns_by_caches(kubelet, differs.step):
        return REPORTED_CACHES
    if step.method == "node.admit":
        return THERE_ALREADY if step.params["pod"]["metadata"]["uid"] in _pods_there(kubelet, differs.step) else ""
    if step.method != "node.restart":
        return ""
    pods = (step.answer or {}).get("pods") or ()
    numbers = [int(match[1]) for each in differs.differences if (match := _POD.match(each.path))]
    first = min(numbers, default=len(pods))
    if any(pod["result"] == "rejected" for pod in pods[:first]):
        return AT_A_RESTART
    return BEFORE_PLUGINS if _has_devices(kubelet, differs.step, pods[first : first + 1]) else ""


def _aligns_by_caches(history: History, end: int) -> bool:
    """Tell whether a node was asked, until a step, to align CPUs by caches."""
    configurations = (step.params.get("kubelet") or {} for step in history.steps[: end + 1])
    return any((each.get("cpuManagerPolicyOptions") or {}).get(_UNCORE) == "true" for each in configurations)


def _pods_there(history: History, end: int) -> set[str]:
    """Return the uids of the pods that were admitted before a step, and not removed."""
    there: set[str] = set()
    for step in history.steps[:end]:
        if step.method == "node.admit" and (step.answer or {}).get("result") == "admitted":
            there.add(step.params["pod"]["metadata"]["uid"])
        elif step.method == "node.remove":
            there.discard(step.params["uid"])
        elif step.method == "node.start":
            there.clear()
    return there


def _has_devices(history: History, end: int, pods: Sequence[Answer]) -> bool:
    """Tell whether one of these pods was given devices before a step."""
    uids = {pod["uid"] for pod in pods}
    admitted = [
        step.answer or {}
        for step in history.steps[:end]
        if step.method == "node.admit" and step.params["pod"]["metadata"]["uid"] in uids
    ]
    return any(held.get("devices") for answer in admitted for held in (answer.get("containers") or {}).values())
