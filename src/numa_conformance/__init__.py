"""numa-conformance: the documentation of Kubernetes' node resource managers, made executable."""

__version__ = "0.1.0"
__all__ = ["__version__"]
