"""Whether all is asked, or a part that is chosen: ``NUMA_TEST_PROFILE=deep`` asks all."""

import os

import pytest

NAME = os.environ.get("NUMA_TEST_PROFILE", "default")
DEEP = NAME == "deep"

deep = pytest.mark.skipif(not DEEP, reason="it takes seconds; NUMA_TEST_PROFILE=deep asks it")
