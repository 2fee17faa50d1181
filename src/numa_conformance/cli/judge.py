"""``numa-conformance judge``: histories judged by the requirements, with a target asked again or without any."""

import io
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..asking.drive import again
from ..asking.findings.telling import finding_of
from ..chapters import REQUIREMENTS
from ..errors import Fault, UsageError, faults_within
from ..files import open_unpacked
from ..judging.verdicts import Broken, HistoryVerdicts, judge_from_file
from ..wire.history.history import LONGEST, History, HistoryError, read_histories
from ..wire.history.sightings import LIVE_NODE
from .options import FILE
from .targets import TargetChoice, open_target, target_options
from .terminal import DIFFERENT, OK, print_json, with_progress

LARGEST = 512 * 1024 * 1024
"""Bytes of a file of histories that are read at most."""
_BEGINS = b'{"history":'
_DAMAGED = (OSError, EOFError, zlib.error)


@click.command("judge")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--again", "ask_again", is_flag=True, help="Ask the target the same questions again, and judge that.")
@target_options
@click.option("--show", "shown", default=3, show_default=True, help="How many unmet requirements are shown in full.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def command(files: tuple[Path, ...], ask_again: bool, choice: TargetChoice, shown: int, as_json: bool) -> int:
    """Judge the histories in FILES (JSON lines) by every requirement that they ask.

    Needs no target: what was answered is in the history. With --again the target is asked the same questions again, so
    that a target that was fixed, however it places, gets the note that it meets the requirement. Exits with 1 when a
    MUST is not met, or what was not met is not asked now.
    """
    if ask_again:
        return judge_again(files, choice, shown, as_json=as_json)
    verdicts = _judged(read_files(files))
    return _conclude(verdicts, _by_requirement(verdicts.broken), shown, as_json=as_json)


def judge_again(files: Sequence[Path], choice: TargetChoice, shown: int, *, as_json: bool) -> int:
    """Ask a target the questions of histories anew, and say of each requirement that was not met whether it is now."""
    before: set[str] = set()
    count = 0
    for history in read_files(files):
        if any(step.method == LIVE_NODE for step in history.steps):
            raise UsageError(Fault("--again", "a node that was only seen at work cannot be asked", "judge without it"))
        before |= judge_from_file(history).unmet
        count += 1
    with open_target(choice) as client:
        verdicts = _judged(with_progress((again(history, client)[0] for history in read_files(files)), "asking", count))
    unmet = _by_requirement(verdicts.broken)
    lost = {name for name in before - unmet.keys() if not verdicts.tests[name]}
    code = _conclude(verdicts, unmet, shown, as_json=as_json)
    if not as_json:
        for name in sorted(before):
            word = "still not met" if name in unmet else "not asked now" if name in lost else "met now"
            click.echo(f"{word}: {name}")
        for name in sorted(unmet.keys() - before):
            click.echo(f"not met now: {name}")
    return code or (DIFFERENT if lost else OK)


def holds_histories(path: Path) -> bool:
    """Tell whether a file begins as one of histories does."""
    if not path.is_file():
        return False
    try:
        with open_unpacked(path) as stream:
            return stream.read(len(_BEGINS)) == _BEGINS
    except _DAMAGED:
        return False


def _conclude(verdicts: HistoryVerdicts, unmet: dict[str, list[Broken]], shown: int, *, as_json: bool) -> int:
    if as_json:
        print_json(_as_json(verdicts, unmet))
    else:
        _print(verdicts, unmet, shown)
    return DIFFERENT if any(_is_must(name) for name in unmet) else OK


def read_files(files: Iterable[Path]) -> Iterator[History]:
    """Read histories from files; raises ``UsageError``."""
    for path in files:
        none = True
        try:
            with (
                open_unpacked(path) as stream,
                io.TextIOWrapper(stream, encoding="utf-8") as text,
                faults_within(str(path)),
            ):
                for history in read_histories(_lines(text)):
                    none = False
                    yield history
        except HistoryError as error:
            raise UsageError(Fault(str(path), str(error))) from error
        except UnicodeDecodeError as error:
            raise UsageError(Fault(str(path), f"is not UTF-8: {error}", "JSON lines, plain or gzip")) from error
        except _DAMAGED as error:
            raise UsageError(Fault(str(path), f"cannot be read: {error}", "JSON lines, plain or gzip")) from error
        if none:
            raise UsageError(Fault(str(path), "no history is in this file", "JSON lines, as a report keeps them"))


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    length = 0
    for line in iter(partial(text.readline, LONGEST + 1), ""):
        length += len(line)
        if length > LARGEST:
            raise HistoryError(f"is larger than {LARGEST} bytes")
        yield line


def _judged(histories: Iterable[History]) -> HistoryVerdicts:
    verdicts = HistoryVerdicts()
    for history in histories:
        verdicts.add(judge_from_file(history))
    return verdicts


def _by_requirement(broken: Iterable[Broken]) -> dict[str, list[Broken]]:
    unmet: dict[str, list[Broken]] = {}
    for wrong in sorted(broken, key=lambda wrong: wrong.step):
        unmet.setdefault(wrong.requirement, []).append(wrong)
    return dict(sorted(unmet.items()))


def _is_must(name: str) -> bool:
    return name not in REQUIREMENTS or REQUIREMENTS[name].strength == "MUST"


def _as_json(verdicts: HistoryVerdicts, unmet: dict[str, list[Broken]]) -> dict[str, Any]:
    requirements = []
    for name, times in sorted(verdicts.tests.items()):
        counts = {"asked": times, "histories": verdicts.histories[name], "met": name not in unmet}
        broken = [_broken(wrong) for wrong in unmet.get(name, ())[:20]]
        strength = "MUST" if _is_must(name) else "SHOULD"
        requirements.append({"id": name, "strength": strength, **counts, "broken": broken})
    return {"steps": verdicts.steps, "requirements": requirements}


def _broken(wrong: Broken) -> dict[str, Any]:
    violation = wrong.violation
    place = {"history": wrong.history.id, "step": wrong.step + 1}
    return {**place, "why": violation.why, "answered": violation.got, "allowed": violation.allowed}


def _print(verdicts: HistoryVerdicts, unmet: dict[str, list[Broken]], shown: int) -> None:
    for broken in list(unmet.values())[:shown]:
        click.echo(f"{finding_of(broken[0])}\n")
    counts = Counter("not met" if name in unmet else "met" for name in verdicts.tests)
    for name, broken in unmet.items():
        word = "not met" if _is_must(name) else "recommendation not followed"
        click.echo(f"{word}: {name}, {len(broken)} of {verdicts.tests[name]} times asked")
    click.echo(
        f"{verdicts.steps} steps judged: {counts['met']} requirements met, {counts['not met']} not met or not followed"
    )
