"""The managers of a node."""

from . import cpu, device, memory
from .provider import MakeProvider

PROVIDERS: tuple[MakeProvider, ...] = (device.provide, cpu.provide, memory.provide)
"""The managers in the order in which they are asked for hints and allocate (TOPO-PROV-06)."""
