"""numa-conformance: the documentation of Kubernetes' node resource managers, made executable.

PYTEST_DONT_REWRITE, which pytest looks for here: ``plugin/unchanged_modules.py`` says why.
"""

from . import moved as moved  # old names of rooms

__version__ = "0.2.0"
__all__ = ["__version__"]
