"""Exit codes, documented in ``docs/cli.md``."""

OK = 0
DIFFERENT = 1
USAGE = 2
TARGET_FAULT = 3
BUG = 70
NOT_RUN = 126
NOT_FOUND = 127
