"""Texts of state files that are made when they are read."""

from copy import deepcopy

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import JournalStore, MemoryStore
from numa_conformance.reference.node import Node


def counting(calls, text="text"):
    def make():
        calls.append(text)
        return text

    return make


def test_a_text_is_made_once_and_only_when_it_is_read():
    store, calls = MemoryStore(), []
    store.write("a", counting(calls, "first"))
    store.write("a", counting(calls))
    assert store.names() == ["a"]
    assert calls == []
    assert store.read("a") == store.read("a") == "text"
    assert calls == ["text"]
    store.write("a", counting(calls))
    store.delete("a")
    assert store.read("a") is None
    assert calls == ["text"]


def test_what_is_read_later_is_what_was_there_then():
    store, calls = MemoryStore(), []
    assert store.read_later("a") is None
    store.write("a", "first")
    first = store.read_later("a")
    store.write("a", counting(calls, "second"))
    second = store.read_later("a")
    store.delete("a")
    assert calls == []
    assert (first(), second()) == ("first", "second")


def test_a_copy_goes_its_own_way():
    store = MemoryStore()
    store.write("a", lambda: "text")
    copied = deepcopy(store)
    store.write("a", "other")
    assert (store.read("a"), copied.read("a")) == ("other", "text")


def test_a_journal_has_every_text_in_order():
    store = JournalStore()
    store.write("a", lambda: "1")
    store.write("a", "2")
    store.delete("a")
    assert store.take_writes() == [("a", "1"), ("a", "2"), ("a", None)]
    assert store.take_writes() == []


def test_what_is_read_late_is_what_was_written_then():
    config = static(reserved="0", more={"memoryManagerPolicy": "Static", "kubeReserved": {"memory": "100Mi"},
                    "reservedMemory": [{"numaNode": 0, "limits": {"memory": "200Mi"}}]})  # fmt: skip
    journal = JournalStore()
    node = Node(load_machine("t3-two-numa-per-socket"), config, store=journal)
    at_once = []
    for uid in "abc":
        node.admit(guaranteed(uid, 2))
        at_once.append(node.checkpoints())
    node.remove("a")
    written = journal.take_writes()
    for files in at_once:
        assert [name for name, text in files.items() if (name, text) not in written] == []
    assert node.checkpoints() != at_once[-1]
