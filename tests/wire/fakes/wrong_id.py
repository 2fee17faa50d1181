from conversation import converse, reply

converse(lambda request: reply(request, id=4711))
