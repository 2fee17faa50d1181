"""The book: a chapter is a page of Kubernetes, an option or a door, and says of each sentence how it is judged."""

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from ..judging import chapter as _chapter
from ..judging.chapter import Requirement

__all__ = ["OF_TARGETS", "REQUIREMENTS", "Requirement"]

for _module in sorted(module.name for module in pkgutil.walk_packages(__path__, f"{__name__}.")):
    importlib.import_module(_module)

REQUIREMENTS: Mapping[str, Requirement] = MappingProxyType(_chapter.REQUIREMENTS)
"""Every requirement by id, chapter by chapter."""
OF_TARGETS: Mapping[str, Requirement] = MappingProxyType(_chapter.OF_TARGETS)
"""Those that targets are asked; what no target is, a command asks."""
