"""The requirement registry: every testable statement of the documentation."""

from .registry import REQUIREMENTS
from .requirement import Requirement

__all__ = ["REQUIREMENTS", "Requirement"]
