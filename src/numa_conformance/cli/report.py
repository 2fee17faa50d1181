"""``numa-conformance report``: compare and join reports of the suite."""

import os
import random
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import click
import msgspec

from ..asking.drive import again
from ..asking.known_failures import KnownFailure, KnownFailures, check_expiry
from ..errors import Fault, UsageError
from ..files import write_text
from ..judging.verdicts import judge_from_file
from ..printable import as_line
from ..report.circumstances import read_circumstances, report_file
from ..report.compare import Column, compare_reports, merge_reports
from ..report.html import matrix_page
from ..report.known import refreshed
from ..report.reading import read_report
from ..report.writers import PAGE, write_reports
from .judge import read_files
from .options import FILE
from .targets import TargetChoice, open_target, target_options
from .terminal import DIFFERENT, OK, print_json, with_progress


@click.group("report")
def command() -> None:
    """Compare and join reports: report.json files, or the folders that hold them."""


@command.command("compare")
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print the changes as JSON.")
def compare(before: Path, after: Path, as_json: bool) -> int:
    """Show what regressed, was fixed, is new or gone from BEFORE to AFTER.

    Exits with 1 when something regressed or is gone.
    """
    comparison = compare_reports(read_report(before), read_report(after))
    print_json(msgspec.to_builtins(comparison)) if as_json else click.echo("\n".join(comparison.lines()))
    return DIFFERENT if comparison.regressed or comparison.gone else OK


@command.command("known-failures")
@click.argument("report", type=FILE)
@click.argument("file", type=FILE)
@click.option("--reason", default=None, help="Why new entries are not met.")
@click.option("--link", default=None, help="Where that is followed up.")
@click.option("--expires", default=None, metavar="YYYY-MM-DD", help="Until when new entries are tolerated.")
@click.option("--all-machines", is_flag=True, help="Let new entries say machines: all, in place of their names.")
def known_failures(
    report: Path, file: Path, reason: str | None, link: str | None, expires: str | None, all_machines: bool
) -> int:
    """Write FILE, or refresh it, with what REPORT says is not met.

    Entries keep their reasons and links; those that are met now are removed. New entries need --reason and --link, and
    name the cases, and the machines of histories, that fail now: others are new failures.
    """
    faults: list[Fault] = []
    if expires is not None:
        check_expiry(expires, "--expires", faults)
    if bool(reason) != bool(link):
        faults.append(Fault("", "--reason and --link go together"))
    if faults:
        raise UsageError(faults)
    summary = read_report(report)
    before = KnownFailures.read(str(file), may_have_expired=True) if file.exists() else KnownFailures({})
    machines: Literal["all"] | None = "all" if all_machines else None
    new = KnownFailure(reason=reason, link=link, expires=expires, machines=machines) if reason and link else None
    after = refreshed(before, summary.cases, new)
    write_text(file, after.to_yaml())
    added, gone = after.entries.keys() - before.entries.keys(), before.entries.keys() - after.entries.keys()
    click.echo(f"{file}: {len(after.entries)} known failures, {len(added)} added, {len(gone)} removed")
    return OK


@command.command("verify")
@click.argument("report", type=FILE)
@click.option("--sample", default=100, show_default=True, type=click.IntRange(1), help="Histories at most.")
@target_options
def verify(report: Path, sample: int, choice: TargetChoice) -> int:
    """Ask a sample of REPORT's histories again, and say whether the answers are the same.

    A report keeps those that break something, with --numa-histories all of them. Exits with 1 when an answer is
    another one, or breaks what the report says is met. What it says beside its histories, nobody can verify.
    """
    summary = read_report(report)
    folder = report_file(report).parent
    names = {name for case in summary.cases for name in (case.history, *case.conversations) if name}
    files = [folder / name for name in sorted(names)]
    present = (file for file in files if not file.exists() or file.stat().st_size)
    histories = [history for history in read_files(present) if history.steps]
    if not histories:
        raise UsageError(Fault(str(report), "keeps no histories", "a report made with --numa-histories"))
    cases = (case for case in summary.cases if case.verdict == "passed" and case.judges_conversations)
    met = {name for case in cases for name in case.requirements}
    chosen, different = random.Random(0).sample(histories, min(sample, len(histories))), 0
    with open_target(choice) as client:
        for history in with_progress(chosen, "asking", len(chosen)):
            now_answered = [(step.answer, step.fault) for step in again(history, client)[0].steps]
            earlier = ((step.method, [(step.answer, step.fault)]) for step in history.steps)
            others = (method for at, (method, was) in enumerate(earlier) if now_answered[at : at + 1] != was)
            if method := next(others, None):
                different += 1
                click.echo(as_line(f"another answer: {history.id}: {method}"))
            elif broken := judge_from_file(history).unmet & met:
                different += 1
                click.echo(as_line(f"met by the report, and not by {history.id}: {', '.join(sorted(broken))}"))
        now = f"{client.description.name} {client.description.version}"
    sample_of = f"{len(chosen)} of {len(histories)} histories were asked again"
    click.echo(f"{sample_of}: {len(chosen) - different} as the report says, {different} otherwise")
    before = f"{summary.target.name} {summary.target.version}"
    if before != now:
        click.echo(f"the report is of {before}; {now} was asked")
    return DIFFERENT if different or before != now else OK


@command.command("merge")
@click.argument("reports", nargs=-1, required=True, type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The folder of the joined report.")
def merge(reports: tuple[Path, ...], output: Path) -> int:
    """Join REPORTS of one target; a case that several hold keeps its worst verdict."""
    merged = merge_reports([read_report(path) for path in reports], [str(path) for path in reports])
    write_reports(merged, output)
    click.echo(f"{merged.verdict}: {merged.planned} cases in {output}")
    return OK


@command.command("matrix")
@click.argument("reports", nargs=-1, required=True, type=FILE)
@click.option("--output", "-o", required=True, type=FILE, help="The page to write.")
def matrix(reports: tuple[Path, ...], output: Path) -> int:
    """Write one page of requirements by targets from REPORTS."""
    columns = [Column(read_report(path), _page(path, output), read_circumstances(path)) for path in reports]
    write_text(output, matrix_page(columns))
    return OK


def _page(report: Path, output: Path) -> str:
    """Return the address of a report's page, seen from the page to write; empty where there is none."""
    page = report_file(report).parent / PAGE
    return quote(Path(os.path.relpath(page, output.parent)).as_posix()) if page.is_file() else ""
