import sys

from conversation import converse

converse(lambda request: sys.exit(3))
