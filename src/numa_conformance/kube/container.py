"""One container of a pod."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .quantity import Quantity


@dataclass(frozen=True, slots=True)
class Container:
    """One container after API defaulting: requests include what only limits name (ADM-DEF-01).

    ``restart_always`` on an init container makes it a sidecar (ADM-REQ-02). ``claims``: the names of the pod's resource
    claims that it uses (``resources.claims``).
    """

    name: str
    requests: Mapping[str, Quantity] = field(default_factory=dict)
    limits: Mapping[str, Quantity] = field(default_factory=dict)
    restart_always: bool = False
    claims: tuple[str, ...] = ()

    @property
    def whole_cpus(self) -> int:
        """The CPU request when it is a positive integer, else 0 (ADM-QTY-06, CPU-ELIG-03)."""
        request = self.requests.get("cpu")
        return request.whole if request is not None else 0
