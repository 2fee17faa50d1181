"""Rooms of 0.1 and 0.2 under their old names, with a warning, until 0.4. Then this file goes."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import CodeType, ModuleType

PACKAGE = __name__.partition(".")[0]
MOVED = {
    "documentation": "sources",
    "hostfs": "machine.hostfs",
    "living_node": "doctor",
    "managers": "reference.managers",
    "node": "reference.node",
    "advice": "reference.advice",
    "fleet": "reference.fleet",
    "scheduler": "reference.scheduler",
    "protocol": "wire",
    "protocol.__main__": "reference.__main__",
    "protocol.reference": "reference.target.reference_target",
    "pytest_plugin": "plugin",
    "suite": "asking",
    "suite.chapters": "chapters",
    "suite.examples": "asking.examples",
    "suite.generators": "asking.generators",
    "suite.history": "wire.history",
    "suite.judge": "judging",
    "suite.strategies": "asking.strategies",
}
"""Old to new name below the package. What lay in a room lies in it still."""


def new_name(old: str) -> str | None:
    """Return the name of a module today; None for what did not move."""
    package, *parts = old.split(".")
    for count in range(len(parts), 0, -1) if package == PACKAGE else ():
        room = MOVED.get(".".join(parts[:count]))
        if room is not None:
            return ".".join((PACKAGE, room, *parts[count:]))
    return None


class MovedModules(MetaPathFinder, InspectLoader):
    """Finds a module by its old name: what it has is what the module under the new name has."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        """Return a spec for a name that moved."""
        return spec_from_loader(fullname, self, is_package=self.is_package(fullname)) if new_name(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        """Let the module have what the new one has; what ``protocol`` had besides, ``targets`` has."""
        name = str(new_name(module.__name__))
        if new_name(module.__name__.rpartition(".")[0]) is None:
            text = f"{module.__name__} is {name} now; its old name goes with 0.4. Targets import {PACKAGE}.targets"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        module_now = importlib.import_module(name)

        def attribute(name: str) -> object:
            if not hasattr(module_now, name) and name == "ReferenceTarget":
                return importlib.import_module(f"{PACKAGE}.targets").ReferenceTarget
            return getattr(module_now, name)

        module.__dict__["__getattr__"] = attribute

    def is_package(self, fullname: str) -> bool:
        """Say that a module may have modules; ``python -m`` asks."""
        return not fullname.endswith("__main__")

    def get_code(self, fullname: str) -> CodeType:
        """Return what ``python -m`` runs."""
        return compile(f"import runpy; runpy.run_module({new_name(fullname)!r}, run_name='__main__')", fullname, "exec")

    def get_source(self, fullname: str) -> None:
        """Return None: there is no source under an old name."""


sys.meta_path.insert(0, MovedModules())
