import os
import time

from conversation import converse


def misbehave(request):
    os.close(1)
    time.sleep(3600)


converse(misbehave)
