from conversation import converse, reply


def misbehave(request):
    reply(request)
    reply(request)


converse(misbehave)
