"""Loads the modules of the package as Python does, from their bytecode.

pytest rewrites the assertions of each module of a distribution that brings a plugin. Where Python may write no
bytecode, that costs seconds at each start. Files of the suite are left to pytest; no other asserts in place of a test.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_PACKAGE = __name__.partition(".")[0] + "."


class _Unchanged:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        ours = name.startswith(_PACKAGE) and not name.startswith(_PACKAGE + "conformance.")
        return PathFinder.find_spec(name, path, target) if ours else None


sys.meta_path.insert(0, _Unchanged)
