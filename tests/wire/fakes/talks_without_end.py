import threading

from conversation import converse, reply, send


def chatter(request):
    while True:
        send({"jsonrpc": "2.0", "id": request["id"], "result": {}})


def misbehave(request):
    reply(request)
    reply(request)  # whatever the thread comes to
    threading.Thread(target=chatter, args=(request,), daemon=True).start()


converse(misbehave)
