"""Ask the kubelet's managers on odd machines, beside the reference at level exact, and keep what differed.

    python go/kubelet/ask.py 1.34 --seed 7 [--seconds 300]

Each seed has other machines and other questions. A crash counts as an answer: the reference must say that the kubelet
crashes where the real code panics, and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from odd_machines import odd_scenarios

from numa_conformance.asking.drive import again, drive
from numa_conformance.asking.profiles import Profile
from numa_conformance.comparing.differing import STATE_FILES, Differing, differing, ending_with_files
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire import Client, InProcess, Stdio
from numa_conformance.wire.history.history import histories_text
from numa_conformance.wire.termination import EndsInOrder

TIMEOUT = 60.0
"""Seconds that an answer may take."""


class Asked:
    """Counts histories, questions and crashes on the way."""

    def __init__(self) -> None:
        self.histories = self.questions = self.crashes = 0


def compare(program: Path, seed: int, seconds: float, asked: Asked) -> Iterator[Differing]:
    """Ask both for so many seconds, and yield where they differ."""
    with EndsInOrder(), closing(Client(Stdio(str(program), TIMEOUT))) as kubelet:
        version = KubernetesVersion.supported(kubelet.description.kubernetes_version)
        own = InProcess(lambda: ReferenceTarget("exact", version), "the reference", TIMEOUT)
        with closing(Client(own)) as reference:
            claimed = kubelet.features & reference.features & Profile("all", version).offered
            files = [name for feature, name in STATE_FILES.items() if feature in claimed]
            ends = time.monotonic() + seconds
            for scenario in odd_scenarios(claimed, seed=seed):
                if time.monotonic() >= ends:
                    return
                history, fault = drive(ending_with_files(scenario), reference, str(version))
                beside, _ = again(history, kubelet)
                asked.histories += 1
                asked.questions += len(history.steps)
                asked.crashes += fault is not None
                difference = differing(history, beside, files, untold=kubelet.untold | reference.untold)
                if difference:
                    yield difference


def keep(differences: Iterable[Differing], file: Path) -> None:
    """Write what differed as histories: each with the reference's answers, and then with the kubelet's."""
    both = (history for difference in differences for history in (difference.history, difference.other))
    file.write_text(histories_text(both), encoding="utf-8")


def ask(program: Path, seed: int, seconds: float) -> int:
    """Ask, keep what differed beside the program, and tell it; returns 1 where something did."""
    asked = Asked()
    file = program.with_name(f"{program.name}-odd-{seed}.jsonl")
    differences = list(compare(program, seed, seconds, asked))
    if differences:
        keep(differences, file)
    print(
        f"odd machines, seed {seed}: {asked.questions:,} questions in {asked.histories:,} histories, "
        f"{asked.crashes:,} of them end with a crash; {len(differences)} differ" + (f": {file}" if differences else ""),
        flush=True,
    )
    for difference in islice(differences, 10):
        step = difference.history.steps[difference.step]
        print(
            f"  {difference.history.head.generator}, {step.method}: {'; '.join(map(str, difference.differences[:2]))}"
        )
    return 1 if differences else 0
