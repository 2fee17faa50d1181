"""Public names that are imported when they are first used (PEP 562); a stub beside each module shows their types."""

import sys
from collections.abc import Callable, Mapping


def lazy_names(
    module: str, rooms: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module; ``rooms``: where its names come from."""
    room_of = {name: room for room, names in rooms.items() for name in names.split()}

    def attribute(name: str) -> object:
        if name not in room_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        from importlib import import_module

        value: object = getattr(import_module(f".{room_of[name]}", __package__), name)
        setattr(sys.modules[module], name, value)
        return value

    return attribute, lambda: sorted(room_of), sorted(room_of)
