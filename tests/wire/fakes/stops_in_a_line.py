import sys

from conversation import converse


def misbehave(request):
    sys.stdout.write('{"jsonrpc": "2.0", "id"')
    sys.stdout.flush()
    sys.exit(0)


converse(misbehave)
