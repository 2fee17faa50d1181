import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

pytest_plugins = ["pytester"]

settings.register_profile("default", deadline=None, derandomize=True, max_examples=60)
settings.register_profile(
    "deep", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile(os.environ.get("NUMA_TEST_PROFILE", "default"))
