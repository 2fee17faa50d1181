import json
import sys

from conversation import DESCRIPTION, converse


def misbehave(request):
    sys.stdout.write('{"jsonrpc": "2.0", "id": 1, "result": {}, "result": ' + json.dumps(DESCRIPTION) + "}\n")
    sys.stdout.flush()


converse(misbehave)
