"""Two targets that are asked the same: what both claim, and where their answers differ."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from math import ceil

from ..asking.asking import MOST_FAULTS, Budget
from ..asking.drive import again, drive
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
        """Take two targets that are open."""
        self._both = first, second
        self._messages = messages
        self._ignored = frozenset(ignored)
        self._untold = first.untold | second.untold
        self._silent: Counter[int] = Counter()
        self.count = self.questions = 0
        self.surfaces = first.surfaces & second.surfaces
        self.features = first.features & second.features
        for client in self._both:
            follows = KubernetesVersion.known(client.description.kubernetes_version)
            if follows is not None:
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
                faults += differs is not None and _ended(differs)
                yield differs

    @property
    def _files(self) -> tuple[str, ...]:
        return tuple(name for feature, name in STATE_FILES.items() if feature in self.features)

    def _ask(self, scenario: Scenario) -> Differing | None:
        first, second = self._both
        history, fault = drive(scenario, first, first.description.kubernetes_version)
        other, its_fault = self._again(history, second)
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
        history, _ = self._again(questions, first)
        other, _ = self._again(questions, second)
        return self.differing(history, other)

    def differing(self, history: History, other: History) -> Differing | None:
        """Return where two histories of the same questions first differ, in what is compared."""
        left_out = {"ignored": self._ignored, "untold": self._untold}
        return differing(history, other, self._files, messages=self._messages, **left_out)

    @staticmethod
    def _again(history: History, client: Client) -> tuple[History, TargetFault | None]:
        head = replace(history.head, version=client.description.kubernetes_version)
        return again(History(head, history.steps), client)


def _ended(differs: Differing) -> bool:
    return any(history.steps[-1].fault is not None for history in (differs.history, differs.other))
