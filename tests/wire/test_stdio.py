import contextlib
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from traceback import walk_tb

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.wire import BadReply, Client, Crashed, NotClaimed, Stdio, TargetFault, TimedOut
from numa_conformance.wire.messages.classify import Classify
from numa_conformance.wire.messages.describe import Describe, Description
from processes import PATIENCE

FAKES = Path(__file__).parent / "fakes"
Start = Callable[..., Stdio]


@pytest.fixture
def start(tmp_path: Path):
    started = []

    def start_fake(name: str, timeout: float = PATIENCE, **options: object) -> Stdio:
        command = shlex.join([sys.executable, str(FAKES / f"{name}.py"), str(tmp_path / "lived")])
        started.append(Stdio(command, timeout, quiet=True, **options))
        return started[-1]

    yield start_fake
    for one in started:
        one.close()


def lives(folder: Path) -> int:
    """Return how many processes were started."""
    return len((folder / "lived").read_text())


def _fault(target: Stdio) -> TargetFault:
    with pytest.raises(TargetFault) as caught:
        target.request(Describe())
    return caught.value


@pytest.mark.parametrize(
    ("fake", "kind", "said"),
    [
        ("dies_at_once", Crashed, "ended without an answer, exit status 3"),
        ("closes_its_output", Crashed, "the target closed its output without an answer, ran on, and was killed"),
        ("answers_garbage", BadReply, "not JSON"),
        ("gives_a_key_twice", BadReply, "the reply is not JSON: the key 'result' is given twice"),
        ("stops_in_a_line", Crashed, "ended in the middle of a line"),
        ("answers_100_megabytes", BadReply, "longer than 16777216 bytes"),
        ("wrong_id", BadReply, "has the id 4711, the request had 1"),
        ("wrong_jsonrpc", BadReply, '"jsonrpc": "2.0"'),
        ("error_object", BadReply, "no luck"),
        ("unknown_field", BadReply, "`colour`"),
        ("prints_first", BadReply, "not JSON"),
        ("answers_no_utf_8", BadReply, "not JSON"),
        ("nests_a_million_deep", BadReply, "not JSON"),
    ],
)
def test_a_bad_answer_is_a_fault_that_shows_the_exchange_and_a_fresh_process_answers_next(
    start: Start, fake: str, kind: type[TargetFault], said: str, tmp_path: Path
):
    target = start(fake)
    fault = _fault(target)
    assert type(fault) is kind
    assert said in fault.message
    assert '"method":"describe"' in str(fault)
    assert "the fake complains" in str(fault)
    assert lives(tmp_path) == 1
    assert isinstance(target.request(Describe()), Description)
    assert lives(tmp_path) == 2


@pytest.mark.parametrize(
    ("fake", "received"),
    [
        ("answers_garbage", "no JSON at all"),
        ("stops_in_a_line", '"id"'),
        ("prints_first", "Starting up"),
        ("unknown_field", "blue"),
    ],
)
def test_what_came_back_is_shown(start: Start, fake: str, received: str):
    assert received in _fault(start(fake)).exchange.received


def test_a_target_that_hangs_costs_its_budget_and_no_more(start: Start, tmp_path: Path):
    target = start("hangs")
    target.request(Describe())
    target._timeout = 0.2
    fault = _fault(target)
    assert type(fault) is TimedOut
    assert "no answer within 0.2 s" in str(fault)
    assert "the fake complains" in str(fault)
    target._timeout = PATIENCE
    assert isinstance(target.request(Describe()), Description)
    assert lives(tmp_path) == 2


def _bearing(mark: str) -> list[str]:
    """Return the processes whose environment bears a mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(folder.name)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="daemons are found in /proc, which Linux alone has")
def test_a_daemon_that_keeps_the_pipes_of_a_dead_target_is_not_waited_for_and_does_not_live_on(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OF_THIS_TEST", str(tmp_path))
    target = start("leaves_a_daemon")
    fault = _fault(target)
    assert type(fault) is Crashed  # the daemon lives for longer than a call may take
    assert "exit status 3" in fault.message
    assert _bearing(f"OF_THIS_TEST={tmp_path}") == []
    assert isinstance(target.request(Describe()), Description)


@pytest.mark.parametrize("fake", ["answers_twice", "talks_without_end"])
def test_a_reply_that_nobody_asked_for_is_a_fault_of_the_next_question(start: Start, fake: str, tmp_path: Path):
    target = start(fake)
    assert isinstance(target.request(Describe()), Description)
    fault = _fault(target)
    assert type(fault) is BadReply
    assert "has the id 1, the request had 2" in fault.message
    assert isinstance(target.request(Describe()), Description)
    assert lives(tmp_path) == 2


def test_a_request_longer_than_a_pipe_holds_is_sent_whole(start: Start):
    assert isinstance(start("answers_twice").request(Describe(protocol="2" * 1_000_000)), Description)


def test_a_target_that_dies_later_is_started_again_with_no_memory_of_the_conversation(start: Start, tmp_path: Path):
    target = start("dies_on_the_second_call")
    assert isinstance(target.request(Describe()), Description)
    fault = _fault(target)
    assert type(fault) is Crashed
    assert "exit status 7" in fault.message
    assert isinstance(target.request(Describe()), Description)
    assert lives(tmp_path) == 2


def test_a_method_that_is_not_there_is_not_claimed_and_the_process_lives_on(start: Start, tmp_path: Path):
    target = start("method_not_found")
    fault = _fault(target)
    assert type(fault) is NotClaimed
    assert "no method 'describe'" in fault.message
    assert type(_fault(target)) is NotClaimed
    assert lives(tmp_path) == 1


@pytest.mark.parametrize("fake", ["answers_100_megabytes", "answers_garbage"])
def test_a_fault_keeps_nothing_of_what_was_received_beyond_what_it_shows(start: Start, fake: str):
    fault = _fault(start(fake))
    held = [value for frame, _ in walk_tb(fault.__traceback__) for value in frame.f_locals.values()]
    assert fault.__context__ is None
    assert all(len(value) < 10_000 for value in held if isinstance(value, (bytes, bytearray, str)))
    assert len(fault.exchange.received) <= 2000


def test_a_line_limit_can_be_set(start: Start):
    assert "longer than 50 bytes" in _fault(start("unknown_field", max_line=50)).message


def test_an_unknown_feature_is_an_error_of_the_user_that_names_it(start: Start):
    with pytest.raises(UsageError, match="cpu-manager/statik") as caught:
        Client(start("claims_unknown_feature"))
    assert "cpu-manager/static" in str(caught.value)


def test_a_target_whose_claims_are_refused_does_not_live_on(start: Start, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("OF_THIS_TEST", str(tmp_path))
    with pytest.raises(UsageError):
        Client(start("claims_unknown_feature"))
    assert _bearing(f"OF_THIS_TEST={tmp_path}") == []


def test_what_a_target_does_not_claim_is_not_asked(start: Start):
    target = start("wrong_id")
    _fault(target)
    client = Client(target)
    with pytest.raises(NotClaimed, match="'classify'"):
        client.ask(Classify({}))


def test_a_command_that_is_not_there_is_a_crash():
    with pytest.raises(Crashed, match="cannot be started"):
        Stdio("./no-such-program --at all", PATIENCE).request(Describe())


@pytest.mark.parametrize("command", ["", "   ", "'unclosed"])
def test_a_command_that_is_none_is_refused(command: str):
    with pytest.raises(UsageError, match="target command"):
        Stdio(command, PATIENCE)
