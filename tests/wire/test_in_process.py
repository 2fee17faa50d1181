import weakref
from collections.abc import Callable

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import BadReply, Client, Crashed, InProcess, NotClaimed, TargetFault, load_factory
from numa_conformance.wire.messages.classify import Classify
from numa_conformance.wire.messages.describe import Describe, Description
from numa_conformance.wire.messages.pick import Pick, Picked

GOOD = Description("fake", "1", "2", ["classify"], [])


class Fake:
    """Describes itself with ``describe``, which a test replaces for the first life."""

    def __init__(self, describe: Callable[[], object]) -> None:
        self._describe = describe

    def describe(self, request: Describe) -> object:
        return self._describe()


def _target(first: Callable[[], object], born: list[Fake] | None = None) -> InProcess:
    """Return a connection whose first target misbehaves; all that are made are put into ``born``."""
    born = [] if born is None else born

    def make() -> Fake:
        born.append(Fake((lambda: GOOD) if born else first))
        return born[-1]

    return InProcess(make, "fake")


def _fault(target: InProcess) -> TargetFault:
    with pytest.raises(TargetFault) as caught:
        target.request(Describe())
    return caught.value


class _TextlessError(Exception):
    def __str__(self) -> str:
        return str(1 // 0)


def _raise(error: BaseException) -> object:
    raise error


@pytest.mark.parametrize(
    ("behaviour", "kind", "said"),
    [
        (lambda: 1 // 0, Crashed, "raised ZeroDivisionError"),
        (lambda: None, BadReply, "not a Description"),
        (lambda: {"name": "fake"}, BadReply, "missing required field `version`"),
        (lambda: Picked("0-1"), BadReply, "not a Description"),
        (lambda: Description("fake", 1, "2", None, []), BadReply, "Expected `str`, got `int` - at `$.version`"),
        (lambda: Description("\ud800", "1", "2", [], []), BadReply, "surrogates not allowed"),
        (lambda: _raise(_TextlessError()), Crashed, "raised _TextlessError: (no text: ZeroDivisionError"),
        (lambda: _raise(ValueError("\ud800")), Crashed, r"raised ValueError: \ud800"),
    ],
)
def test_what_is_no_answer_is_a_fault_and_a_new_target_answers_next(
    behaviour: Callable[[], object], kind: type[TargetFault], said: str
):
    born: list[Fake] = []
    target = _target(behaviour, born=born)
    fault = _fault(target)
    assert type(fault) is kind
    assert said in fault.message
    assert "sent:     describe" in str(fault)
    assert target.request(Describe()) == GOOD
    assert len(born) == 2


def test_a_fault_keeps_nothing_of_what_the_target_held():
    class Big:
        pass

    held: list[weakref.ref[Big]] = []

    def fail() -> object:
        big = Big()
        held.append(weakref.ref(big))
        raise ValueError

    fault = _fault(_target(fail))
    assert (fault.message, held[0]()) == ("the target raised ValueError: ", None)


def test_plain_values_are_as_good_as_the_classes():
    plain = {"name": "fake", "version": "1", "protocol": "2", "surfaces": ["classify"], "features": []}
    assert _target(lambda: plain).request(Describe()) == GOOD


def test_a_method_that_is_not_there_is_not_claimed_and_the_target_lives_on():
    born: list[Fake] = []
    target = _target(lambda: GOOD, born=born)
    target.request(Describe())
    with pytest.raises(NotClaimed, match="'classify'"):
        target.request(Classify({}))
    assert len(born) == 1


def test_a_method_that_was_answered_is_claimed_from_then_on():
    class Shrinks(ReferenceTarget):
        def classify(self, request):
            type(self).classify = None
            return super().classify(request)

    client = Client(InProcess(Shrinks, "shrinks"))
    question = Classify({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}})
    assert client.ask(question).qos == "BestEffort"
    with pytest.raises(BadReply, match="has answered classify before"):
        client.ask(question)


@pytest.mark.parametrize(
    ("answer", "received"),
    [
        ("picked", '"picked"'),
        ({"result": "picked"}, '{"result":"picked"}'),
        ({1}, "[1]"),
        (Fake, "an object of the class type"),
    ],
)
def test_a_bad_reply_is_shown(answer: object, received: str):
    class Answers(ReferenceTarget):
        def pick(self, request):
            return answer

    machine = machine_to_dict(load_machine("one-cpu"))
    with pytest.raises(BadReply, match="the reply is not a Picked or a PickRefused: ") as fault:
        InProcess(Answers, "answers").request(Pick(machine, "0", 1))
    assert fault.value.exchange.sent.startswith("pick {")
    assert fault.value.exchange.received == received


def test_a_factory_that_raises_is_a_crash():
    def broken() -> object:
        raise RuntimeError("no hardware")

    with pytest.raises(Crashed, match="the target raised RuntimeError: no hardware"):
        InProcess(broken, "broken").request(Describe())


def test_unknown_methods_and_wrong_fields_are_errors_of_the_user():
    client = Client(InProcess(ReferenceTarget, "reference"))
    with pytest.raises(UsageError, match="no method 'guess'"):
        client.call("guess", {})
    with pytest.raises(UsageError, match="colour"):
        client.call("describe", {"colour": "blue"})


@pytest.mark.parametrize("name", ["a\nVERDICT: CONFORMANT", "\x1b[31m", "a" * 201])
def test_a_name_that_would_change_what_is_printed_is_refused(name: str):
    with pytest.raises(UsageError, match=r"describe: name: is '.*one line of at most 200 printable characters"):
        Client(_target(lambda: Description(name, "1", "2", ["classify"], [])))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no_colon", "does not name a factory"),
        (":factory", "does not name a factory"),
        ("json:", "does not name a factory"),
        ("no_such_module_at_all:factory", "cannot be loaded"),
        ("json:no_such_name", "cannot be loaded"),
        ("json:__name__", "is not callable"),
    ],
)
def test_a_name_that_leads_to_no_factory_is_refused(name: str, said: str):
    with pytest.raises(UsageError, match=said):
        load_factory(name)


def test_a_factory_is_found_by_name():
    assert load_factory("numa_conformance.reference.target:ReferenceTarget") is ReferenceTarget
