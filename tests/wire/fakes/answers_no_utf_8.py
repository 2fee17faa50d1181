import os

from conversation import converse


def misbehave(request):
    os.write(1, b'{"jsonrpc":"2.0","id":1,"result":{"name":"\xff\xfe"}}\n')


converse(misbehave)
