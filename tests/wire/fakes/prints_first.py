import sys

from conversation import converse, reply


def misbehave(request):
    sys.stdout.write("Starting up ...\n")
    reply(request)


converse(misbehave)
