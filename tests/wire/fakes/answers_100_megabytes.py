import sys

from conversation import converse


def misbehave(request):
    for _ in range(100):
        sys.stdout.write("x" * 1024 * 1024)
    sys.stdout.write("\n")
    sys.stdout.flush()


converse(misbehave)
