import os

from conversation import converse, reply

calls = []


def misbehave(request):
    calls.append(request)
    if len(calls) == 2:
        os._exit(7)
    reply(request)


converse(misbehave)
