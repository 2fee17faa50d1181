import gc
import sys

import pytest
from hypothesis import HealthCheck, settings

from asked_in_full import NAME
from in_memory import keep_files_in_memory
from inherited import reset_environment, reset_signals
from numa_conformance import chapters as chapters  # they declare what is judged

pytest_plugins = ["pytester"]

sys.dont_write_bytecode = False
reset_signals()
keep_files_in_memory()

settings.register_profile("default", deadline=None, derandomize=True, max_examples=30)
settings.register_profile(
    "deep", deadline=None, max_examples=500, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(NAME)


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Begin with defaults, once whoever runs the tests has the colours and the width of their terminal."""
    reset_environment()


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and never among the collected tests."""
    gc.freeze()
    gc.set_threshold(50_000)
