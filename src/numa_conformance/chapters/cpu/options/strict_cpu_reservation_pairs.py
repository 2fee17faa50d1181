"""Shared pools with and without the reserved CPUs under strict-cpu-reservation."""

from ....judging.choice import STRICT
from .maturity_pairs import of_every_option

PAIRS = of_every_option(STRICT, without="1", effect="1", pools=("0-31", "0-30"))
