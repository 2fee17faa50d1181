import sys

from conversation import converse


def misbehave(request):
    sys.stdout.write("[" * 1_000_000 + "]" * 1_000_000 + "\n")
    sys.stdout.flush()


converse(misbehave)
