"""``numa-conformance bisect``: which version of Kubernetes changed what becomes of these pods, and by what."""

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..comparing.differing import Differing
from ..comparing.two_targets import TwoTargets
from ..errors import Fault, UsageError
from ..reference.simulation.node_inputs import NodeInputs
from ..reference.target import BEYOND, Level
from ..report.causes import VersionChange, cause_line, turns
from ..report.reference_answers import open_reference
from ..report.side_by_side import causes_by_sort
from ..sources.versions import NEWEST, OLDEST, SUPPORTED, SUPPORTED_RANGE, KubernetesVersion
from ..wire.history.history import History, Step
from .options import CONFIG, FILE, INPUT, LEVEL, MACHINE, TIMEOUT, machine_of, version
from .question_files import histories_of_files, history_of_pods
from .targets import TargetChoice, open_target
from .terminal import DIFFERENT, OK, capped, notice, print_json, say, with_progress

ADAPTERS = Path("~/.cache/numa-conformance")
MOST_PLACES = 4
"""Places in an answer that are told; a difference of one CPU is seen in many."""
_PROGRAM = re.compile(r"kubelet-(1\.\d+)(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class _Real:
    """A program of the kubelet's own managers: the version it tells, and where the reference answers otherwise."""

    version: str
    difference: Differing | None


@click.command("bisect")
@click.argument("files", nargs=-1, required=True, type=INPUT)
@MACHINE
@CONFIG
@click.option("--flags", default="", metavar="TEXT", help="The kubelet's command line; overrides the configuration.")
@click.option("--from", "oldest", type=version, default=str(OLDEST), show_default=True, help="The oldest version.")
@click.option("--to", "newest", type=version, default=str(NEWEST), show_default=True, help="The newest version.")
@LEVEL
@click.option("--messages", is_flag=True, help="Compare the wording of refusals too.")
@click.option("--ignore", "ignored", multiple=True, help="A field that is not compared: cpu_quota; may be repeated.")
@click.option("--real", is_flag=True, help="Ask the kubelet's own managers too: the programs that --adapters holds.")
@click.option(
    "--adapters",
    type=FILE,
    default=ADAPTERS,
    show_default=True,
    help="The folder of kubelet-1.37 and the like, as `tox run -e kubelet` builds them.",
)
@TIMEOUT
@click.option("--json", "as_json", is_flag=True, help="Print what changed as JSON.")
def command(
    files: tuple[Path, ...],
    machine_name: str | None,
    config_file: Path | None,
    flags: str,
    oldest: KubernetesVersion,
    newest: KubernetesVersion,
    level: str,
    real: bool,
    adapters: Path,
    timeout: float,
    as_json: bool,
    **wording: Any,
) -> int:
    """Ask version after version what becomes of FILES, and say what changed when, and by what.

    FILES hold pods, which come to a new node of --machine in order, and the steps of a life (docs/steps.md); or without
    --machine histories and questions, as reports and `diff --json` have them, of which the sum of requests is not
    asked. Of each, the first step at which two neighbouring versions differ is reported. Exits with 1 where
    something changed.
    """
    histories = _histories(files, machine_name, config_file, flags, level)
    versions = _versions(oldest, newest)
    at: Level = "exact" if level == "exact" else "documented"
    answers = [
        (history, list(turns(history, versions, at, lives=bool(machine_name), **wording)))
        for history in with_progress(histories, "asking", len(histories))
    ]
    if real and any(BEYOND & step.params.keys() for history in histories for step in history.steps):
        raise click.UsageError("--real asks programs what the protocol has: pods, delete and restart of a life")
    programs = _programs(adapters, versions) if real else []
    of_programs = [_answers_of_programs(history, programs, at, timeout, **wording) for history in histories]
    if as_json:
        shown = [_as_json(*answer, reals) for answer, reals in zip(answers, of_programs, strict=True)]
        print_json({"level": level, "versions": list(map(str, versions)), "histories": shown})
    else:
        _print(answers, of_programs, versions)
    changed = any(changes for _, changes in answers) or any(real.difference for reals in of_programs for real in reals)
    return DIFFERENT if changed else OK


def _versions(oldest: KubernetesVersion, newest: KubernetesVersion) -> list[KubernetesVersion]:
    """Return the ends as they are named, patches included, and the minors between them."""
    between = [version for version in SUPPORTED if oldest < version < newest]
    if newest < oldest or str(oldest) == str(newest):
        raise UsageError(Fault("--from", f"{oldest} is not before --to {newest}", f"two versions, {SUPPORTED_RANGE}"))
    return [oldest, *between, newest]


def _histories(
    files: Sequence[Path], machine_name: str | None, config_file: Path | None, flags: str, level: str
) -> list[History]:
    if machine_name:
        inputs = NodeInputs.read(machine_of(machine_name), config_file, flags, NEWEST, level, notice)
        return [history_of_pods(inputs, files)]
    if config_file or flags:
        raise click.UsageError("--config and --flags describe a node: name its --machine")
    if not (histories := list(histories_of_files(files))):
        raise UsageError(Fault(", ".join(map(str, files)), "holds no history and no question"))
    return histories


def _programs(folder: Path, versions: Sequence[KubernetesVersion]) -> list[Path]:
    folder = folder.expanduser()
    minors = {str(version.of_minor) for version in versions}
    by_version = {
        path: KubernetesVersion.parse(match[1])
        for path in (folder.iterdir() if folder.is_dir() else ())
        if (match := _PROGRAM.fullmatch(path.name)) and match[1] in minors and os.access(path, os.X_OK)
    }
    if not by_version:
        accepted = f"programs such as {folder / f'kubelet-{NEWEST}'}: tox run -e kubelet -- {NEWEST}"
        raise UsageError(Fault("--adapters", f"{folder} holds no program of these versions", accepted))
    return sorted(by_version, key=lambda path: (by_version[path], path.name))


def _answers_of_programs(
    history: History, programs: Sequence[Path], level: Level, timeout: float, **wording: Any
) -> list[_Real]:
    """Ask the programs, and beside each the reference of its version."""
    compared = []
    for program in programs:
        with open_target(TargetChoice(None, str(program), "exact", None, timeout)) as kubelet:
            follows = KubernetesVersion.supported(kubelet.description.kubernetes_version)
            with open_reference(level, follows) as reference:
                two = TwoTargets(kubelet, reference, **wording)
                compared.append(_Real(kubelet.description.kubernetes_version, two.again(history)))
    return compared


def _as_json(history: History, changes: Sequence[VersionChange], reals: Sequence[_Real]) -> dict[str, Any]:
    real: list[dict[str, Any]] = []
    for each in reals:
        where = {} if each.difference is None else _where(each.difference)
        real.append({"version": each.version, "asReference": each.difference is None, **where})
    head = {"id": history.id, "machine": history.head.machine.name, "steps": len(history.steps)}
    return {**head, "turns": [_turn_as_json(turn) for turn in changes], "real": real}


def _turn_as_json(turn: VersionChange) -> dict[str, Any]:
    down = dict(zip(("before", "after"), _why_down(turn.difference), strict=True))
    sides = {"before": str(turn.before), "after": str(turn.after), **({"notUp": down} if any(down.values()) else {})}
    return {**sides, **_where(turn.difference), **causes_by_sort(turn.causes), "together": turn.together}


def _where(difference: Differing) -> dict[str, Any]:
    method = difference.history.steps[difference.step].method
    places = [{"path": each.path, "before": each.got, "after": each.expected} for each in difference.differences]
    return {"step": difference.step + 1, "method": method, "differences": places}


def _print(
    answers: Sequence[tuple[History, list[VersionChange]]],
    of_programs: Sequence[list[_Real]],
    versions: Sequence[KubernetesVersion],
) -> None:
    for (history, changes), reals in zip(answers, of_programs, strict=True):
        if changes or reals:
            count = len(history.steps)
            click.echo(f"{history.head.machine.name}, {count} question{'' if count == 1 else 's'} ({history.id})")
        since, outcome = versions[0], ""
        for turn in changes:
            before, after = _why_down(turn.difference)
            _print_span(since, turn.before, before or outcome)
            for line in _turn_lines(turn):
                say(f"  {line}")
            since, outcome = turn.after, after
        if changes:
            _print_span(since, versions[-1], outcome)
        for real in reals:
            otherwise = real.difference and f"otherwise than the reference: {_question(real.difference)}"
            say(f"  the managers of {real.version} answer {otherwise or 'as the reference'}")
        if changes or reals:
            click.echo()
    changed = sum(bool(changes) for _, changes in answers)
    histories = f"{len(answers)} histor{'y' if len(answers) == 1 else 'ies'}"
    ends = f"{versions[0]} to {versions[-1]}"
    click.echo(f"{histories} asked of {len(versions)} versions, {ends}: in {changed} something changed")


def _why_down(difference: Differing) -> tuple[str, str]:
    """Return why the node does not come up, before and after; empty where it does, or where another step differs."""
    before, after = (_why_not_up(history.steps[difference.step]) for history in (difference.history, difference.other))
    return before, after


def _why_not_up(step: Step) -> str:
    answer = step.answer or {}
    if step.method not in ("node.start", "node.restart") or answer.get("result") != "failed":
        return ""
    return f"the node does not come up ({answer['stage']}): {answer['message']}"


def _print_span(since: KubernetesVersion, until: KubernetesVersion, outcome: str) -> None:
    single = str(since) == str(until)
    versions = f"{since}" if single else f"{since} to {until}"
    say(f"  {versions}: {outcome}" if outcome else f"  {versions}" if single else f"  {versions}: alike")


def _turn_lines(turn: VersionChange) -> Iterator[str]:
    yield f"{turn.before} -> {turn.after}: {_question(turn.difference)}"
    places = () if any(_why_down(turn.difference)) else turn.difference.differences
    changes = (f"    {place.path}: {_brief(place.got)} -> {_brief(place.expected)}" for place in places)
    yield from capped(changes, MOST_PLACES, "    ... and {} more")
    if turn.together and turn.causes:
        yield "    only together:"
    yield from (f"    by {cause_line(name, turn.after)}" for name in turn.causes)
    if not turn.causes:
        yield "    by nothing that is known"


def _question(difference: Differing) -> str:
    step = difference.history.steps[difference.step]
    metadata = (step.params.get("pod") or {}).get("metadata") or {}
    name = metadata.get("name") or metadata.get("uid") or step.params.get("uid") or ""
    boots = " (reboot)" if step.params.get("boots") else ""
    return f"step {difference.step + 1}, {step.method}{boots} {name}".rstrip()


def _brief(value: object) -> str:
    text = value if isinstance(value, str) and value else json.dumps(value, default=str)
    return "(nothing)" if value in (None, [], "") else text if len(text) <= 70 else f"{text[:67]}..."
