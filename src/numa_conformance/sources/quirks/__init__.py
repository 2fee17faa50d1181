"""The quirks: where Kubernetes departs from its documentation, and which version shows what."""

from .quirk import Quirk, QuirkFlags
from .registry import QUIRKS, Quirks

__all__ = ["QUIRKS", "Quirk", "QuirkFlags", "Quirks"]
