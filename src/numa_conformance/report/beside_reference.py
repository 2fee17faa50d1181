"""What the reference answers to the questions of a failed case: asked after the verdict, for the reader of a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..documentation.versions import DEFAULT, KubernetesVersion
from ..errors import NumaConformanceError
from ..protocol import Client, InProcess, Level, ReferenceTarget, TargetFault
from ..suite.recorded import record

__all__ = ["with_reference"]

_SECONDS = 10.0


def with_reference(scenario: Mapping[str, Any], level: Level, version: KubernetesVersion = DEFAULT) -> dict[str, Any]:
    """Return a scenario with the reference's answers as its record, so that ``replay`` can judge a target by it.

    Where the documentation leaves a placement open, the reference's is one of those allowed. A scenario that the
    reference cannot take comes back as it is.
    """
    reference = Client(InProcess(lambda: ReferenceTarget(level, version), "the bundled reference", _SECONDS))
    try:
        if scenario["kind"] == "question":
            return {**scenario, "expect": reference.call(scenario["method"], scenario["params"])}
        return record(reference, dict(scenario))
    except (NumaConformanceError, TargetFault, KeyError, TypeError):
        return dict(scenario)
    finally:
        reference.close()
