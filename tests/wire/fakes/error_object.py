from conversation import converse, send

converse(lambda request: send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32000, "message": "no luck"}}))
