import sys

from conversation import converse


def misbehave(request):
    sys.stdout.write("no JSON at all\n")
    sys.stdout.flush()


converse(misbehave)
