import time

from conversation import converse, reply


def misbehave(request):
    if request["id"] > 1:
        time.sleep(3600)
    reply(request)


converse(misbehave)
