import gc
import os
import sys

from hypothesis import HealthCheck, settings

from asked_in_full import NAME
from in_memory import keep_files_in_memory

pytest_plugins = ["pytester"]

# Hundreds of processes start below these tests: without bytecode each compiles anew what it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
keep_files_in_memory()

settings.register_profile("default", deadline=None, derandomize=True, max_examples=30)
settings.register_profile(
    "deep", deadline=None, max_examples=500, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(NAME)


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and never among the collected tests."""
    gc.freeze()
    gc.set_threshold(50_000)
