"""All requirements, by id."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from . import __path__ as _folder
from .requirement import Requirement


def _joined() -> Mapping[str, Requirement]:
    """Return what the modules of this folder declare as their ``REQUIREMENTS``."""
    joined: dict[str, Requirement] = {}
    for name in sorted(module.name for module in pkgutil.iter_modules(_folder)):
        area = importlib.import_module(f"{__package__}.{name}")
        for requirement in getattr(area, "REQUIREMENTS", ()):
            if requirement.id in joined:
                raise AssertionError(f"the requirement id {requirement.id} is given twice")
            joined[requirement.id] = requirement
    return MappingProxyType(joined)


REQUIREMENTS: Mapping[str, Requirement] = _joined()
"""Every requirement, area by area."""
