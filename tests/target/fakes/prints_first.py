from conversation import converse, reply


def misbehave(request):
    print("Starting up ...", flush=True)
    reply(request)


converse(misbehave)
