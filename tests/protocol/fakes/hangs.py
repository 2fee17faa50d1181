import time

from conversation import converse

converse(lambda request: time.sleep(600))
