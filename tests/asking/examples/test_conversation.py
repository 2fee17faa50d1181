"""Questions of a case, asked of a node."""

from directly import Directly
from numa_conformance.asking.examples.conversation import Conversation
from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget


class Listening(Directly):
    """Notes what is asked."""

    def __init__(self, target):
        super().__init__(target)
        self.asked = []

    def call(self, method, params):
        self.asked.append(method)
        return super().call(method, params)


def test_a_node_that_does_not_come_up_is_asked_nothing_more():
    client = Listening(ReferenceTarget("documented", "1.28"))
    ask = Conversation(client, ("cpu-manager/shared-pool/loses-nothing",), "1.28")
    life = [
        ("node.start", {"kubelet": static("strict-cpu-reservation")}),  # 1.32 is the first to have it
        ("node.admit", {"pod": guaranteed("a", 1)}),
    ]
    ask(load_machine("one-socket-no-smt"), life)
    assert client.asked == ["node.start"]
