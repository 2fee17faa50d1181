"""The catalogue: machines by name, shipped as data; and machines in files of the user's own."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ..cpuset import bits_of, format_bits
from ..documents import Document, Source, Text, name_of, read_content, read_text
from ..errors import Fault, UsageError, closest
from ..fields import kind_of
from ..files import data_folder, real_files
from ..pasted import decoded
from .codec import machine_from_dict
from .compact_cpus import REGULAR_FIELDS
from .hostfs.dumps import is_dump, open_dump
from .hostfs.reader import read_machine, unseen
from .model import UNSEEN, Machine
from .small import NAME, small_machine
from .texts.facts import Facts, facts_of_machine, facts_together
from .texts.machine import Assumptions
from .texts.readers import ACCEPTED, facts_of_text

_FOLDER = "topologies"
_FIELDS = {"name", "cpus", "memory", "groups", *REGULAR_FIELDS}


@cache
def catalogue_names() -> tuple[str, ...]:
    """Return the names of the shipped machines, ascending."""
    with real_files():
        return tuple(sorted(path.stem for path in (data_folder("fixtures") / _FOLDER).glob("*.yaml")))


def is_machine_file(text: str) -> bool:
    """Tell whether a text names a file rather than a machine of the catalogue."""
    return text == "-" or "/" in text or text.endswith((".yaml", ".yml", ".json"))


def machine_of(source: Source, notice: Callable[[str], None]) -> Machine:
    """Return a machine of the catalogue, a file or a text, and report what was not seen; raises ``UsageError``."""
    machine = load_machine(source) if isinstance(source, str) else read_machine_file(source)
    for note in machine.notes:
        if note.startswith(UNSEEN):
            notice(note)
    if others := {node for device in machine.devices for node in device.numa} - {-1, *machine.numa_ids}:
        notice(f"{machine.name} does not have NUMA nodes {format_bits(bits_of(others))}, which devices name")
    return machine


def load_machine(name_or_path: str) -> Machine:
    """Return a machine of the catalogue, a small one by its name (``small-0-12``), or the one in a file.

    A name of the catalogue goes first; ``-`` is standard input. A machine of the catalogue is read once. Raises
    ``UsageError``.
    """
    text = str(name_or_path)
    if is_machine_file(text):
        return read_machine_file(text)
    if NAME.fullmatch(text):
        return small_machine(text)
    if text in catalogue_names():
        return _shipped_machine(text)
    if os.path.exists(text):
        return read_machine_file(text)
    accepted = "a name that `numa-conformance machines` lists, or a path such as ./machine.yaml"
    raise UsageError(Fault("", f"no machine is called {text!r}", accepted, closest(text, catalogue_names())))


def read_machine_file(*paths: Source, name: str | None = None, inside: str | None = None) -> Machine:
    """Read a machine from one file or from several that are of one machine; raises ``UsageError``.

    A file is YAML or JSON in the compact or the JSON form, what a tool prints of a machine (``texts``), or a host tree,
    of which ``inside`` names the folder where it holds several. What no file says is assumed, and is a note.
    """
    parts = [(part, name_of(path)) for path in paths for part in _parts(path, inside)]
    first, place = parts[0]
    if len(parts) == 1 and isinstance(first, Machine):
        return first if name is None else replace(first, name=name)
    facts = [facts_of_machine(part, file) if isinstance(part, Machine) else part for part, file in parts]
    return Assumptions(facts_together(facts)).machine(name or Path(place).name.split(".")[0] or place)


def _parts(path: Source, inside: str | None) -> Sequence[Machine | Facts]:
    """Return the machine of a file or a tree, or what each text in a file says."""
    if not isinstance(path, Text) and str(path) != "-" and is_dump(Path(path)):
        with open_dump(Path(path), inside) as root:
            machine = read_machine(root, Path(os.path.abspath(path)).name.split(".")[0] or None)
            return [replace(machine, notes=(*machine.notes, *unseen(root, machine)))]
    content, place = read_content(path), name_of(path)
    return facts_of_text(decoded(content), place) or [_written_machine(read_text(content, place), place)]


def _written_machine(documents: Sequence[Document], name: str) -> Machine:
    if len(documents) != 1:
        raise UsageError(Fault(name, f"holds {len(documents)} documents", "one machine"))
    value, place = documents[0].value, documents[0].place
    if not isinstance(value, Mapping):
        raise UsageError(Fault(place, f"is {kind_of(value)}", ACCEPTED))
    if value.get("kind"):
        raise UsageError(Fault(place, f"is a {value['kind']}", ACCEPTED))
    if not set(value) & _FIELDS:
        raise UsageError(Fault(place, "is no machine", ACCEPTED))
    return machine_from_dict(value, place)


@cache
def _shipped_machine(name: str) -> Machine:
    with real_files():
        return read_machine_file(data_folder("fixtures") / _FOLDER / f"{name}.yaml")
