"""What files of a person ask, as histories without answers: pods for a node, scenarios, and histories themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..asking.generators.scenario import WITH_MACHINE
from ..comparing.recorded import Answerer, Vector, read_vectors, record_decisions
from ..errors import Fault, UsageError
from ..machine import Machine, load_machine, machine_from_dict
from ..reference.simulation.node_inputs import NodeInputs
from ..reference.simulation.reading import read_all
from ..reference.simulation.steps import NamedStep, with_names
from ..report.reference_answers import open_reference
from ..sources.versions import NEWEST
from ..wire import Client
from ..wire.history.history import MACHINE, Head, History, Step
from .judge import holds_histories, read_files
from .terminal import notice

_UNSEEN = "amd-rome-7502p-smt-off"
"""The machine in the head of a history whose questions name none."""


def history_of_pods(inputs: NodeInputs, files: Sequence[Path]) -> History:
    """Return the life of a new node to which the pods of the files come, in order; raises ``UsageError``."""
    steps, there = [Step("node.start", {"kubelet": inputs.config.to_dict()}, {})], set[str]()
    for event in with_names(read_all(files, notice, lives=True).in_life, {}, notice):
        if isinstance(event, NamedStep):
            steps.append(Step(*event.question(), {}))
        else:
            steps.append(Step("node.resize" if event.uid in there else "node.admit", {"pod": event.to_dict()}, {}))
            there.add(event.uid)
    return History(_head("pods", inputs.machine), tuple(steps))


def histories_of_files(files: Sequence[Path]) -> Iterator[History]:
    """Yield the histories and scenarios of the files; raises ``UsageError`` for a file of anything else."""
    for path in files:
        if holds_histories(path):
            yield from read_files([path])
        else:
            with open_reference("exact", NEWEST) as reference:
                yield from (_of_scenario(vector, reference) for vector in read_vectors([path]))


@dataclass(slots=True)
class _Noting:
    """A target that notes what it is asked."""

    reference: Client
    steps: list[Step] = field(default_factory=list)
    machine: Machine | None = None

    @property
    def features(self) -> frozenset[str]:
        return self.reference.features

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method in WITH_MACHINE:
            self.machine = machine_from_dict(params[MACHINE], MACHINE)
        self.steps.append(Step(method, {name: value for name, value in params.items() if name != MACHINE}, {}))
        return self.reference.call(method, params)


def _of_scenario(vector: Vector, reference: Client) -> History:
    noting = _Noting(reference)
    for recorded in record_decisions(noting, [vector], Answerer("numa-conformance", "", NEWEST), times=1):
        if recorded.body is None:
            raise UsageError(Fault(vector.place, recorded.why_not, "questions as a report or `diff --json` has them"))
    return History(_head(vector.id, noting.machine or load_machine(_UNSEEN)), tuple(noting.steps))


def _head(cell: str, machine: Machine) -> Head:
    return Head("bisect", cell, 0, machine, str(NEWEST))
