import os
import sys
import time

from conversation import converse


def misbehave(request):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
    sys.exit(3)


converse(misbehave)
