"""The reference beside a target: its answers to a failed case's questions, and at level exact to all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..comparing.recorded import record
from ..errors import NumaConformanceError
from ..reference.target import Level, ReferenceTarget
from ..sources.changes import Changes
from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, KubernetesVersion
from ..wire import Client, InProcess, TargetFault

_SECONDS = 120.0


def with_reference(scenario: Mapping[str, Any], level: Level, version: KubernetesVersion = DEFAULT) -> dict[str, Any]:
    """Return a scenario with the reference's answers and version as its record, so that ``replay`` can judge by it.

    Where the documentation leaves a placement open, the reference's is one of those allowed. A scenario that the
    reference cannot take comes back as it is.
    """
    with open_reference(level, version) as reference:
        versioned = {**scenario, "kubernetesVersion": str(version)}
        try:
            if scenario["kind"] == "question":
                return {**versioned, "expect": reference.call(scenario["method"], scenario["params"])}
            return record(reference, versioned)
        except (NumaConformanceError, TargetFault, KeyError, TypeError):
            return dict(scenario)


@contextmanager
def open_reference(
    level: Level,
    version: KubernetesVersion = DEFAULT,
    quirks: Quirks | None = None,
    changes: Changes | None = None,
    *,
    resource_fit: bool = False,
) -> Iterator[Client]:
    """Open the bundled reference at a level and version, or with these quirks and changes, and close it at the end.

    ``resource_fit``: whether it does what a whole kubelet does beside its managers, as ``Node`` has it.
    """
    reference = Client(
        InProcess(
            lambda: ReferenceTarget(level, version, quirks=quirks, changes=changes, resource_fit=resource_fit),
            "the bundled reference",
            _SECONDS,
        )
    )
    try:
        yield reference
    finally:
        reference.close()
