"""What ``tox -e lowest`` installs are the lower bounds that are promised."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
BOUND = re.compile(r'"([A-Za-z0-9-]+)>=([0-9.]+)"')


def test_the_constraints_are_the_lower_bounds_of_pyproject():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.urls]")[0]
    bounds = {name: _padded(version) for name, version in BOUND.findall(project)}
    pinned = dict(
        line.split("==")
        for line in (ROOT / "tests" / "lowest.txt").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    )
    assert {name: _padded(version) for name, version in pinned.items()} == {
        name: version for name, version in bounds.items() if name in {*pinned, *_required(project)}
    }


def _required(project: str) -> set[str]:
    dependencies = project.partition("dependencies = [")[2].partition("\n]")[0]
    return {name for name, _ in BOUND.findall(dependencies)}


def _padded(version: str) -> tuple[int, ...]:
    return tuple(([*map(int, version.split(".")), 0, 0])[:3])
