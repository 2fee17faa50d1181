"""``numa-conformance replay`` and ``record``: decisions asked of the reference or a target, and written of one."""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from dataclasses import replace as changed
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

import click

from ..comparing.recorded import (
    Answerer,
    ReplayOutcome,
    SelectedDecisions,
    Status,
    check_form,
    record_decisions,
    replay,
    select,
    unsupported,
)
from ..errors import Fault, UsageError
from ..files import replace_bytes
from ..sources.versions import KubernetesVersion
from .judge import holds_histories, judge_again
from .options import FILE, chosen
from .targets import TargetChoice, open_target, target_options
from .terminal import DIFFERENT, OK, capped, notice, print_json, say, with_progress

MOST_LISTED = 1000
"""Decisions that differed and are told in full; more are counted."""


@click.command("replay")
@click.argument("files", nargs=-1, required=True, type=FILE)
@target_options
@click.option("--kind", "kinds", multiple=True, help="Replay only decisions of this kind; may be repeated.")
@click.option("--id", "ids", multiple=True, help="Replay only the decision with this id; may be repeated.")
@click.option("--ignore-messages", is_flag=True, help="Compare results and reasons, not the wording of messages.")
@click.option("--show", "shown", default=5, show_default=True, help="How many decisions that differ are shown.")
@click.option("--json", "as_json", is_flag=True, help="Print totals and differences as JSON.")
def command(
    files: tuple[Path, ...],
    choice: TargetChoice,
    kinds: tuple[str, ...],
    ids: tuple[str, ...],
    ignore_messages: bool,
    shown: int,
    as_json: bool,
) -> int:
    """Replay recorded decisions of FILES (JSON lines, .gz or plain, a file or a folder).

    What lies in folders of a folder is not replayed, unless these are named too.

    Exits with 0 only if none differed. Unsupported are only decisions that need a feature the target does not claim.
    The reference follows the version that each decision names (1.32 where it names none); a target is asked the
    decisions of the version it says that it follows, and those that name none. With --kubernetes-version all are asked.
    Of histories, as a report keeps them, the questions are asked again and the answers judged by the requirements.
    """
    if histories := [path for path in files if holds_histories(path)]:
        if len(histories) < len(files):
            raise click.UsageError("histories and recorded decisions are not replayed together")
        return judge_again(histories, choice, shown, as_json=as_json)
    vectors = select(files, kinds, ids, chosen, check_form)
    for path in filter(Path.is_dir, files):
        if folders := sorted(each.name for each in path.iterdir() if each.is_dir()):
            say(f"{path}: not replayed, as they are folders: {', '.join(folders)}", err=True)
    outcomes = _outcomes(choice, vectors, messages=not ignore_messages)
    return _print(with_progress(outcomes, "replaying", vectors.count), shown, as_json=as_json)


def _outcomes(choice: TargetChoice, vectors: SelectedDecisions, *, messages: bool) -> Iterator[ReplayOutcome]:
    if choice.is_reference and choice.version is None:
        for version, group in groupby(vectors, lambda vector: vector.version):
            with open_target(changed(choice, version=KubernetesVersion.supported(version))) as target:
                yield from replay(target, group, messages=messages, of_ours=True)
        return
    with open_target(choice) as target:
        follows = KubernetesVersion.known(target.description.kubernetes_version)
        for vector in vectors:
            if choice.version is None and vector.stated not in (None, follows):
                yield unsupported(vector, [f"Kubernetes {vector.stated}"])
            else:
                yield from replay(target, [vector], messages=messages)


def _print(outcomes: Iterable[ReplayOutcome], shown: int, *, as_json: bool) -> int:
    by_kind: defaultdict[str, Counter[Status]] = defaultdict(Counter)
    differed: list[ReplayOutcome] = []
    missing: set[str] = set()
    for outcome in outcomes:
        by_kind[outcome.vector.kind][outcome.status] += 1
        missing |= outcome.missing
        if outcome.status == "differed" and len(differed) < MOST_LISTED:
            differed.append(changed(outcome, vector=changed(outcome.vector, body={})))
    totals = sum(by_kind.values(), Counter())
    if as_json:
        print_json(_as_json(totals, by_kind, differed))
    else:
        _print_text(totals, by_kind, differed[:shown], missing)
    return DIFFERENT if totals["differed"] else OK


def _as_json(
    totals: Counter[Status], by_kind: Mapping[str, Counter[Status]], differed: list[ReplayOutcome]
) -> dict[str, Any]:
    differences = []
    for outcome in differed:
        vector = {name: getattr(outcome.vector, name) for name in ("id", "kind", "place")}
        differences.append({**vector, "differences": list(map(asdict, outcome.differences))})
    kinds = {kind: _counts(counts) for kind, counts in sorted(by_kind.items())}
    left_out = totals["differed"] - len(differed)
    return {"totals": _counts(totals), "kinds": kinds, "differences": differences, "not_listed": left_out}


def _print_text(
    totals: Counter[Status], by_kind: Mapping[str, Counter[Status]], shown: list[ReplayOutcome], missing: set[str]
) -> None:
    for outcome in shown:
        click.echo(f"{outcome.vector.id} ({outcome.vector.place}) differs:")
        differences = ("  " + str(difference).replace("\n", "\n  ") for difference in outcome.differences)
        for line in capped(differences, 10, "  ... and {} more places"):
            click.echo(line)
        click.echo()
    if missing:
        click.echo(f"unsupported because the target does not claim: {', '.join(sorted(missing))}\n")
    for kind, counts in sorted(by_kind.items()):
        click.echo(f"{kind}: {_counts_text(counts)}")
    click.echo(f"total: {_counts_text(totals)}")


def _counts(counts: Mapping[Status, int]) -> dict[str, int]:
    """Return the counts by name; an unsupported decision was not replayed."""
    return {"replayed": counts["matched"] + counts["differed"], **{name: counts[name] for name in get_args(Status)}}


def _counts_text(counts: Mapping[Status, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in _counts(counts).items())


@click.command("record")
@click.argument("files", nargs=-1, required=True, type=FILE)
@target_options
@click.option("--output", required=True, type=FILE, help="The file to write; .gz compresses it.")
@click.option("--kind", "kinds", multiple=True, help="Ask only questions of this kind; may be repeated.")
@click.option("--id", "ids", multiple=True, help="Ask only the question of this decision; may be repeated.")
@click.option("--times", type=click.IntRange(1), default=1, show_default=True, help="How often each is asked.")
def record(
    files: tuple[Path, ...],
    choice: TargetChoice,
    output: Path,
    kinds: tuple[str, ...],
    ids: tuple[str, ...],
    times: int,
) -> int:
    """Ask a target the questions of recorded decisions in FILES and write its answers in the same form.

    Each record says who answered and the Kubernetes version that it follows. Asked several times, words that change
    from one time to the next are all kept, and a question whose placement changes is left out. Exits with 1 when some
    question got no record.
    """
    vectors = select(files, kinds, ids, chosen)
    left_out: Counter[str] = Counter()
    lines: list[str] = []
    with open_target(choice) as target:
        about = target.description
        by = Answerer(about.name, about.version, KubernetesVersion.parse(about.kubernetes_version))
        recorded = record_decisions(target, iter(vectors), by, times=times)
        for decision in with_progress(recorded, "asking", vectors.count):
            if decision.body is None:
                left_out[decision.why_not.splitlines()[0]] += 1
            else:
                lines.append(json.dumps(decision.body, separators=(",", ":")))
    _write(output, lines)
    for why, count in left_out.most_common():
        notice(f"{count} left out: {why}")
    click.echo(f"{len(lines)} recorded of {by.name} {by.version}, Kubernetes {by.follows}, in {output}")
    return DIFFERENT if left_out else OK


def _write(output: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    try:
        replace_bytes(output, gzip.compress(text, 9, mtime=0) if output.suffix == ".gz" else text)
    except OSError as error:
        raise UsageError(Fault(str(output), f"cannot be written: {error.strerror}")) from error
