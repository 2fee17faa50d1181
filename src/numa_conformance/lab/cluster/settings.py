"""What is said of a cluster before it comes up, and what is raised when it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import NumaConformanceError


class ClusterError(NumaConformanceError):
    """A part of the cluster does not come up, or has ended."""


class Stopped(Exception):  # noqa: N818  (nobody's fault)
    """The cluster is to end while it comes up."""


@dataclass(frozen=True)
class Scheduler:
    """A scheduler beside or in place of the cluster's own: program, KubeSchedulerConfiguration, further flags."""

    program: str
    config: Mapping[str, Any] | None = None
    flags: Sequence[str] = ()
