"""The quirks: where Kubernetes departs from its documentation, and which version shows what."""

from .areas import QUIRKS, Quirks
from .quirk import Quirk

__all__ = ["QUIRKS", "Quirk", "Quirks"]
