"""The messages of the protocol: one module for each surface, found here by what the folder holds.

The names on the wire are the fields' own; unknown fields are refused by name.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any

from ..message import Method, Request

__all__ = ["FEATURES", "METHODS", "SURFACES"]

_MODULES: Mapping[str, ModuleType] = {
    module.name: importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)
}

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        cls.method.name: cls.method
        for module in _MODULES.values()
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, Request) and cls.__module__ == module.__name__
    }
)
"""Every method by its name on the wire."""


def _declared(name: str) -> dict[str, Any]:
    return {surface: getattr(module, name) for surface, module in _MODULES.items() if hasattr(module, name)}


SURFACES: Mapping[str, str] = MappingProxyType(_declared("SURFACE"))
"""Every surface, with what it is."""

FEATURES: Mapping[str, str] = MappingProxyType(
    {name: text for features in _declared("FEATURES").values() for name, text in features.items()}
)
"""The features that belong to one surface alone, with what they are."""
