import json

import pytest

from forked_pytest import run_pytest


@pytest.fixture
def suite(pytester):
    pytester.makeini("[pytest]\n")

    def run(*args):
        return run_pytest(pytester.path, "--numa-conformance", "-p", "no:cacheprovider", *args)

    return run


@pytest.fixture
def report(pytester):
    def read(folder="out"):
        return json.loads((pytester.path / folder / "report.json").read_text())

    return read
