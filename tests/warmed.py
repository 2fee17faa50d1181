"""What runs of the suite read and compile, done once: who forks after importing this has it behind them."""

from numa_conformance.asking.rarest import all_places
from numa_conformance.machine import catalogue_names, load_machine
from numa_conformance.report.html import _environment

__all__: list[str] = []

all_places()
for _name in catalogue_names():
    load_machine(_name)
for _name in _environment().list_templates(("html", "md", "svg", "xml")):
    _environment().get_template(_name)
