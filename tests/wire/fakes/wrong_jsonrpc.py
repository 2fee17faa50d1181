from conversation import converse, reply

converse(lambda request: reply(request, jsonrpc="1.0"))
