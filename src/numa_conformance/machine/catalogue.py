"""The catalogue: machines by name, shipped as data; and machines in files of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..documents import read_documents
from ..errors import Fault, UsageError, closest
from ..files import real_files
from .codec import machine_from_dict
from .data_files import data_folder
from .model import Machine
from .small import small_by_name

_FOLDER = "topologies"
_FILES = (".yaml", ".yml", ".json")


@cache
def catalogue_names() -> tuple[str, ...]:
    """Return the names of the shipped machines, ascending."""
    with real_files():
        return tuple(sorted(path.stem for path in (data_folder("fixtures") / _FOLDER).glob("*.yaml")))


def is_machine_file(text: str) -> bool:
    """Tell whether a text names a file rather than a machine of the catalogue."""
    return text == "-" or "/" in text or text.endswith(_FILES)


def load_machine(name_or_path: str) -> Machine:
    """Return a machine of the catalogue, a small one by its name (``small-0-12``), or the one in a file.

    What contains a slash, or ends as YAML or JSON files do, is a path; ``-`` is standard input. A machine of the
    catalogue is read once. Raises ``UsageError``.
    """
    text = str(name_or_path)
    if is_machine_file(text):
        return read_machine_file(text)
    small = small_by_name(text)
    if small is not None:
        return small
    if text not in catalogue_names():
        accepted = "a name that `numa-conformance machines` lists, or a path such as ./machine.yaml"
        raise UsageError(Fault("", f"no machine is called {text!r}", accepted, closest(text, catalogue_names())))
    return _shipped_machine(text)


def read_machine_file(path: Path | str) -> Machine:
    """Read the one machine of a YAML or JSON file, in the compact or the JSON form; raises ``UsageError``."""
    documents = read_documents(path)
    if len(documents) != 1:
        raise UsageError(Fault(str(path), f"holds {len(documents)} documents", "one machine"))
    value, place = documents[0].value, documents[0].place
    if isinstance(value, Mapping) and value.get("kind"):
        raise UsageError(
            Fault(place, f"is a {value['kind']}", "a machine: a name of the catalogue, or what capture writes")
        )
    return machine_from_dict(value, place)


@cache
def _shipped_machine(name: str) -> Machine:
    with real_files():
        return read_machine_file(data_folder("fixtures") / _FOLDER / f"{name}.yaml")
