"""numa-conformance: the documentation of Kubernetes' node resource managers, made executable."""

from . import moved as moved  # old names of rooms

__version__ = "0.2.0"
__all__ = ["__version__"]
