from conversation import DESCRIPTION, converse, reply

converse(lambda request: reply(request, result=DESCRIPTION | {"colour": "blue"}))
