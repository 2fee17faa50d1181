"""Two targets with the same questions: where they differ, and what a whole kubelet decides otherwise."""

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from .. import chapters as _chapters  # noqa: F401  (lives are declared there)
from ..asking.asking import MOST_FAULTS, Budget
from ..asking.drive import again_in_its_version, drive
from ..asking.generators.scenario import Scenario
from ..asking.groups import GROUPS
from ..asking.profiles import Profile
from ..sources.versions import KubernetesVersion
from ..wire import Client, TargetFault
from ..wire.history.history import History
from .differing import STATE_FILES, Differing, differing, ending_with_files


class TwoTargets:
    """Asks one target, then another the same questions; each follows the Kubernetes version that it tells.

    ``surfaces`` and ``features`` are those that both claim and that the versions of both have; ``count`` counts the
    histories, ``questions`` what was asked in them. With ``messages`` the wording of refusals is compared too; fields
    that are ``ignored`` are not.
    """

    def __init__(self, first: Client, second: Client, *, messages: bool = False, ignored: Collection[str] = ()) -> None:
        self._both = first, second
        self._messages = messages
        self._ignored = frozenset(ignored)
        self._untold = first.untold | second.untold
        self._silent: Counter[int] = Counter()
        self.count = self.questions = 0
        self.surfaces = first.surfaces & second.surfaces
        self.features = first.features & second.features
        for client in self._both:
            if (follows := KubernetesVersion.known(client.description.kubernetes_version)) is not None:
                self.features &= Profile("all", follows).offered

    def histories(
        self, budget: Budget, seed: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> Iterator[Differing | None]:
        """Ask scenarios from all over the suite's groups, and yield for each where the two first differ.

        Each group has its share of the time; what one does not need goes to those after it. Raises ``TargetFault`` of a
        target that answers nothing.
        """
        groups = [group for group in GROUPS.values() if group.surface in self.surfaces]
        ends = None if budget.seconds is None else clock() + budget.seconds
        for number, group in enumerate(groups):
            until = None if ends is None else clock() + (ends - clock()) / (len(groups) - number)
            scenarios = list(group.scenarios(self.features, seed))
            random.Random(f"{group.name} {seed}").shuffle(scenarios)
            files = self._files if group.surface == "node" else ()
            faults = 0
            for scenario in scenarios[: ceil(budget.part * len(scenarios))]:
                if faults >= MOST_FAULTS or (until is not None and clock() >= until):
                    break
                differs = self._ask(ending_with_files(scenario) if files else scenario)
                last = (differs.history.steps[-1], differs.other.steps[-1]) if differs else ()
                faults += any(step.fault is not None for step in last)
                yield differs

    @property
    def _files(self) -> tuple[str, ...]:
        return tuple(name for feature, name in STATE_FILES.items() if feature in self.features)

    def _ask(self, scenario: Scenario) -> Differing | None:
        first, second = self._both
        history, fault = drive(scenario, first, first.description.kubernetes_version)
        other, its_fault = again_in_its_version(history, second)
        self.count += 1
        self.questions += len(history.steps)
        self._listen(0, history, fault)
        self._listen(1, other, its_fault)
        return self.differing(history, other)

    def _listen(self, place: int, history: History, fault: TargetFault | None) -> None:
        """Give up a target that does not answer the first question of several histories in a row."""
        if fault is None or len(history.steps) > 1:
            self._silent[place] = 0
            return
        self._silent[place] += 1
        if self._silent[place] >= MOST_FAULTS:
            raise fault

    def again(self, questions: History) -> Differing | None:
        """Ask both the questions of a history anew, and return where they first differ."""
        first, second = self._both
        history, _ = again_in_its_version(questions, first)
        other, _ = again_in_its_version(questions, second)
        return self.differing(history, other)

    def differing(self, history: History, other: History) -> Differing | None:
        """Return where two histories of the same questions first differ, in what is compared."""
        left_out = {"ignored": self._ignored, "untold": self._untold}
        return differing(history, other, self._files, messages=self._messages, **left_out)


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
    configurations = (step.params.get("kubelet") or {} for step in kubelet.steps[: differs.step + 1])
    if kubelet.head.machine.uncore_source == "reported" and any(
        (each.get("cpuManagerPolicyOptions") or {}).get(_UNCORE) == "true" for each in configurations
    ):
        return REPORTED_CACHES
    if step.method == "node.admit":
        return THERE_ALREADY if step.params["pod"]["metadata"]["uid"] in _pods_there(kubelet, differs.step) else ""
    if step.method != "node.restart":
        return ""
    pods = (step.answer or {}).get("pods") or ()
    first = min((int(match[1]) for each in differs.differences if (match := _POD.match(each.path))), default=len(pods))
    if any(pod["result"] == "rejected" for pod in pods[:first]):
        return AT_A_RESTART
    return BEFORE_PLUGINS if _has_devices(kubelet, differs.step, pods[first : first + 1]) else ""


def _pods_there(history: History, end: int) -> set[str]:
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
    uids = {pod["uid"] for pod in pods}
    admitted = [
        step.answer or {}
        for step in history.steps[:end]
        if step.method == "node.admit" and step.params["pod"]["metadata"]["uid"] in uids
    ]
    return any(held.get("devices") for answer in admitted for held in (answer.get("containers") or {}).values())
