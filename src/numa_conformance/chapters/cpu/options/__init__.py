"""What is asked of the options of policy static: a file for each. An option without one is an error that names it."""

from importlib import import_module
from importlib.util import find_spec

from ....errors import Fault, UsageError
from ....sources.options import STATIC_OPTIONS

_FOLDER = "src/numa_conformance/chapters/cpu/options"


def _complete() -> None:
    """Import the files of all options; raises ``UsageError`` with what none of them says."""
    places = {name: f"{_FOLDER}/{option.field}.py" for name, option in STATIC_OPTIONS.items()}
    missing = [name for name, option in STATIC_OPTIONS.items() if find_spec(f"{__name__}.{option.field}") is None]
    if missing:
        raise UsageError(Fault(places[name], f"option {name} has no file with what is asked of it") for name in missing)
    for option in STATIC_OPTIONS.values():
        import_module(f"{__name__}.{option.field}")
    from .maturity import EXCLUDED, OF_EVERY_OPTION

    faults = [
        Fault(places[name], f"no call of maturity says under which ids {name} is asked")
        for name in STATIC_OPTIONS.keys() - OF_EVERY_OPTION
    ]
    pairs = {frozenset(pair) for pair in EXCLUDED.values()}
    faults += [
        Fault(places[name], f"no call of excluded says under which id it is asked that {name} excludes {other}")
        for name, option in STATIC_OPTIONS.items()
        for other in option.excludes
        if {name, other} not in pairs
    ]
    if faults:
        raise UsageError(faults)


_complete()
