"""Rooms of 0.1 and 0.2 under their old names, with a warning, until 0.4. Then this file goes."""

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

PACKAGE = __name__.partition(".")[0]
MOVED = dict(line.split() for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines())
"""Old to new name below the package. What lay in a room lies in it still."""
DIVIDED = {f"{PACKAGE}.wire": f"{PACKAGE}.reference.target"}
"""A room to the one that has the rest of what it had under its old name."""


def new_name(old: str) -> str | None:
    """Return the name of a module today; None for what did not move."""
    package, *parts = old.split(".")
    for count in range(len(parts), 0, -1) if package == PACKAGE else ():
        if (room := MOVED.get(".".join(parts[:count]))) is not None:
            return ".".join((PACKAGE, room, *parts[count:]))
    return None


class MovedModules:
    """Finds a module by its old name, and loads it: what it has is what the module under the new name has."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: object = None) -> ModuleSpec | None:
        """Return a spec for a name that moved."""
        if new_name(fullname) is None:
            return None
        # It is a loader but for the base class, whose import takes all projects with this plugin 20 ms.
        return ModuleSpec(fullname, self, is_package=self.is_package(fullname))  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None: an empty module will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Let the module have what the new one has."""
        import warnings  # most programs need no old name

        name = str(new_name(module.__name__))
        if new_name(module.__name__.rpartition(".")[0]) is None:
            text = f"{module.__name__} is {name} now; its old name goes with 0.4. Targets import {PACKAGE}.targets"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        module_now = importlib.import_module(name)

        def attribute(attribute: str) -> object:
            has_it = hasattr(module_now, attribute) or name not in DIVIDED
            return getattr(module_now if has_it else importlib.import_module(DIVIDED[name]), attribute)

        module.__dict__["__getattr__"] = attribute

    def is_package(self, fullname: str) -> bool:
        """Say that a module may have modules; ``python -m`` asks."""
        return not fullname.endswith("__main__")

    def get_code(self, fullname: str) -> CodeType:
        """Return what ``python -m`` runs."""
        return compile(f"import runpy; runpy.run_module({new_name(fullname)!r}, run_name='__main__')", fullname, "exec")


sys.meta_path.insert(0, MovedModules())
