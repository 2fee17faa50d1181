"""What a whole run comes to: its cases, its summary, its reports, its exit code and what the terminal shows."""

import shlex
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ..asking.known_failures import LeftOut
from ..chapters.exact import GOLDEN_IDS
from ..errors import UsageError
from ..files import write_text
from ..printable import as_line, folded
from ..report.case import Case
from ..report.circumstances import Circumstances, revision_of
from ..report.claims import NOT_ASKED, NOT_JUDGED
from ..report.model import Summary
from ..report.text import header_lines, summary_lines
from ..wire import TargetFault
from .cases import CASE, case_id, case_id_of_node, file_of_node
from .choice import LEFT_OUT
from .expectation import budget_line, expected_line
from .isolation import is_of_the_suite
from .options import asks_nothing
from .run import DESCRIBED, RUN, Run, open_connection
from .spending import BEGAN, NO_TIME
from .verdicts import CASE_PROPERTY

TARGET_UNREACHABLE, HARNESS_ERROR = 10, 11
SILENT_CODES = {NOT_ASKED: TARGET_UNREACHABLE, NOT_JUDGED: HARNESS_ERROR}
SUMMARY = pytest.StashKey[Summary]()
"""Where pytest's configuration keeps the summary once the run is over; a worker of xdist has none."""
FAILED_USER_TESTS = pytest.StashKey[set[str]]()
"""Where pytest's configuration keeps which of the user's own tests failed: no part of the verdict."""
UNWRITTEN = pytest.StashKey[str]()
"""Where pytest's configuration keeps why no report was written."""
IN_THIS_PROCESS = "no profile was tested whole, as the target was asked in the process that judges it"
OF_A_WORKER = "numa_statements"
"""What a worker of xdist tells at its end: what is left out, and the statements of its record."""


class Conclusion:
    """Collects the cases, those of xdist's workers included, and concludes when all are run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cases: dict[str, Case] = {}
        self._planned: set[str] = set()
        self._left_out: list[LeftOut] = []
        self._harness: list[str] = []
        self._failed_user_tests = config.stash[FAILED_USER_TESTS] = set()
        self._began, self._at = time.time(), time.monotonic()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take note of the cases that must come to a verdict, and of those that are not asked."""
        self._planned.update(case_id(item) for item in session.items if CASE in item.stash)
        self._left_out = self._config.stash[LEFT_OUT]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        """Plan what a worker of xdist has collected; all collect the same."""
        self._planned.update(case_id_of_node(nodeid, self._config) for nodeid in ids if not self._is_of_user(nodeid))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker of xdist when the run began, and who the target is."""
        run = self._config.stash[RUN]
        node.workerinput[BEGAN] = run.spending.began
        node.workerinput[DESCRIBED] = msgspec.to_builtins(run.client.description)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Learn what a worker of xdist has left out; all leave out the same."""
        left_out, *statements = getattr(node, "workeroutput", {}).get(OF_A_WORKER, ([], {}, {}, {}, False, 0))
        self._config.stash[RUN].client.record.also(statements)
        self._left_out = [LeftOut(*each) for each in left_out] or self._left_out

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Take note of what cannot be collected."""
        if report.failed and self._is_of_user(report.nodeid):
            self._failed_user_tests.add(report.nodeid)
        elif report.failed:
            self._harness.append(f"{report.nodeid or 'the suite'} cannot be collected")

    def pytest_internalerror(self, excrepr: object) -> None:
        """Take note of an error of pytest or of a plugin."""
        self._harness.append(f"internal error: {str(excrepr).strip().splitlines()[-1].removeprefix('E').strip()}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a case, or a later phase's worse verdict on it."""
        if report.failed and self._is_of_user(report.nodeid):
            self._failed_user_tests.add(report.nodeid)
            return
        for name, value in report.user_properties:
            if name == CASE_PROPERTY:
                case = Case.from_json(str(value))
                before = self._cases.get(case.id)
                if before is None or before.verdict == "passed":
                    self._cases[case.id] = case
                if case.unmet:
                    self._config.stash[RUN].notice.of_case(case)

    def _is_of_user(self, nodeid: str) -> bool:
        return bool(nodeid) and not is_of_the_suite(file_of_node(nodeid, self._config))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Close the target, write the reports, set the exit code."""
        run = self._config.stash[RUN]
        if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) and not asks_nothing(self._config):
            run.client.describe_again()
        run.client.close()
        if hasattr(self._config, "workerinput"):
            left_out = [list(each) for each in self._left_out]
            vars(self._config)["workeroutput"][OF_A_WORKER] = [left_out, *run.client.record.statements]
            return
        if exitstatus == pytest.ExitCode.USAGE_ERROR or asks_nothing(self._config):
            return
        uncompared = []
        claimed = (case for case in self._cases.values() if case.verdict != "not claimed")
        if run.snapshots.of_target and all(GOLDEN_IDS.isdisjoint(case.requirements) for case in claimed):
            uncompared.append(
                f"no snapshot was written or compared in {run.snapshots.folder}; needs a target that claims "
                "cpu-manager/static on the surface node, and cases of exact/placements/*"
            )
        summary = self._config.stash[SUMMARY] = self._summary(run, uncompared)
        if run.report or run.markdown:
            self._write(summary, run)
        if summary.verdict in SILENT_CODES:
            session.exitstatus = SILENT_CODES[summary.verdict]
        elif run.client.record.is_absent:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
        elif exitstatus == 0 and (summary.problems != uncompared or summary.unmet()):
            session.exitstatus = 1
        elif exitstatus == 0 and (UNWRITTEN in self._config.stash or uncompared):
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        elif exitstatus == 0 and summary.verdict == "not tested":
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED

    def _write(self, summary: Summary, run: Run) -> None:
        """Write the reports; a folder that does not take them costs the report and not the verdict."""
        # Templates cost each worker of xdist its start.
        from ..report.writers import markdown_text, write_reports

        try:
            if run.report:
                write_reports(summary, Path(run.report), self._circumstances(run))
            if run.markdown:
                write_text(Path(run.markdown), markdown_text(summary))
        except UsageError as error:
            self._config.stash[UNWRITTEN] = str(error)

    def _circumstances(self, run: Run) -> Circumstances:
        called = self._config.invocation_params
        return Circumstances.of(
            self._began,
            time.monotonic() - self._at,
            shlex.join(["pytest", *map(str, called.args)]),
            run.again,
            revision_of(called.dir),
            run.report,
        )

    def _summary(self, run: Run, problems: list[str]) -> Summary:
        unasked = any(case.details.startswith(NO_TIME) for case in self._cases.values())
        summary = Summary.of(
            run.client.description,
            run.measure,
            run.profile,
            list(self._cases.values()),
            run.known,
            planned=self._planned,
            narrowed=run.is_narrowed or unasked or any(case.by_chance for case in self._left_out),
            features=run.features,
            harness=self._harness,
            problems=problems,
            left_out=self._left_out,
            whole=run.machines.is_whole and not run.selection.is_part,
            outside=run.client.outside,
            contradictions=run.client.record.contradictions,
            absences=run.client.record.absences if run.client.record.is_absent else {},
            restarts=run.client.record.restarts,
        )
        notes = [*[IN_THIS_PROCESS] * run.same_process, *summary.notes]
        return msgspec.structs.replace(summary, snapshots=run.snapshots.named, notes=notes)


class Terminal:
    """What a run says before and after pytest's own lines."""

    def pytest_report_header(self, config: pytest.Config) -> list[str]:
        """Say what is tested."""
        run = config.stash[RUN]
        lines = header_lines(run.client.label, run.client.description, run.measure, run.profile, deep=run.deep)
        if not run.budget.is_whole and run.spending.seconds is None:
            lines.append(f"numa-conformance: generated histories: {run.budget}, fewer than without a budget")
        try:
            expected = expected_line(run, open_connection(config, run.level, run.profile.version))
        except TargetFault:
            expected = ""
        return [*lines, *([f"numa-conformance: {expected}"] if expected else [])]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> Generator[None, None, None]:
        """Keep what the suite tells itself out of pytest's own list of failures."""
        stats = terminalreporter.stats
        failed = stats.get("failed", [])
        if not failed or config.getoption("fulltrace"):
            return (yield)
        stats["failed"] = [report for report in failed if not _has_block(report)]
        if not stats["failed"]:
            del stats["failed"]
        try:
            return (yield)
        finally:
            stats["failed"] = failed

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        """Print what is not met, and the verdict: the last lines of the run."""
        yield
        config = session.config
        summary = config.stash.get(SUMMARY, None)
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        if summary is None or reporter is None:
            return
        run = config.stash[RUN]
        reporter.section("numa-conformance")
        for line in _last_lines(config, run, summary):
            text = as_line(line)  # sentences go on below themselves, what is copied stays whole
            is_whole = not reporter.isatty or any(part in text for part in ("|", "{", "pytest --numa"))
            reporter.write_line(text if is_whole else folded(text, reporter._tw.fullwidth))


def _last_lines(config: pytest.Config, run: Run, summary: Summary) -> Iterator[str]:
    if unwritten := config.stash.get(UNWRITTEN, ""):
        yield f"no report: {unwritten}"
    yield from summary_lines(summary, run.again, "" if unwritten else run.report)
    if spent := budget_line(run.spending, sum(case.details.startswith(NO_TIME) for case in summary.cases)):
        yield spent
    if failed := len(config.stash[FAILED_USER_TESTS]):
        yield f"{failed} {'test' if failed == 1 else 'tests'} of your own failed, which changes no verdict"


def _has_block(report: pytest.TestReport) -> bool:
    cases = (Case.from_json(str(value)) for name, value in report.user_properties if name == CASE_PROPERTY)
    return any(case.unmet for case in cases)
