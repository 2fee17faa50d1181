"""The reference as a target: it answers every surface of the contract."""

from .reference_target import Level, ReferenceTarget

__all__ = ["Level", "ReferenceTarget"]
