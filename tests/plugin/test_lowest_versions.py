"""What ``tox -e lowest`` installs are the lower bounds that are promised."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXTRAS = "[project.optional-dependencies]\n"
BOUND = re.compile(r'"([A-Za-z0-9-]+)>=([0-9.]+)[,"]')


def test_the_constraints_are_the_lower_bounds_of_pyproject_those_of_all_extras_too():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = project.partition("\ndependencies = [")[2].partition("[project.urls]")[0]
    pinned = dict(
        line.split("==")
        for line in (ROOT / "tests" / "lowest.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
    bounds = {(name, _padded(version)) for name, version in BOUND.findall(needed)}
    assert {(name, _padded(version)) for name, version in pinned.items()} == bounds


def test_tox_installs_every_extra_in_its_lowest_version():
    table = (ROOT / "pyproject.toml").read_text("utf-8").partition(EXTRAS)[2].partition("\n\n")[0]
    extras = re.findall(r"^([a-z]+) = \[(?!\"numa-conformance\[)", table, re.M)  # the others are names of these
    lowest = (ROOT / "tox.ini").read_text("utf-8").partition("[testenv:lowest]")[2].partition("\n\n")[0]
    named = lowest.partition("extras =\n")[2].partition("deps =")[0].split()
    assert sorted(named) == sorted(extras) != []


def _padded(version: str) -> tuple[int, ...]:
    return tuple(([*map(int, version.split(".")), 0, 0])[:3])
