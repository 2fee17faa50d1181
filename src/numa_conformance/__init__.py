"""numa-conformance: the documentation of Kubernetes' node resource managers, made executable."""

__version__ = "0.2.0"
__all__ = ["__version__"]
