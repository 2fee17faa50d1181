"""Whether all is asked, or a part that is chosen: ``NUMA_TEST_PROFILE=deep`` asks all."""

import os

NAME = os.environ.get("NUMA_TEST_PROFILE", "default")
DEEP = NAME == "deep"
