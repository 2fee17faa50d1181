import json

import pytest


@pytest.fixture
def suite(pytester):
    pytester.makeini("[pytest]\n")

    def run(*args):
        return pytester.runpytest_subprocess("--numa-conformance", "-p", "no:cacheprovider", *args)

    return run


@pytest.fixture
def report(pytester):
    def read(folder="out"):
        return json.loads((pytester.path / folder / "report.json").read_text())

    return read
