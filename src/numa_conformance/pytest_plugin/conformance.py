"""The suite as a pytest run: collects it, asks the target, keeps the verdicts apart."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

import pytest

from ..documentation.versions import DEFAULT, KubernetesVersion
from ..errors import NumaConformanceError, UsageError
from ..machine.data_files import data_folder
from ..protocol import Client, Connection, InProcess, ReferenceTarget, Stdio, TargetFault, load_factory
from ..protocol.reference import Level
from ..report.beside_reference import with_reference
from ..report.model import UNMET, Case, Summary, Verdict
from ..report.text import header_lines, summary_lines, told_scenario
from ..report.writers import write_reports
from ..suite.findings import Finding
from ..suite.goldens import OwnGolden
from ..suite.known_failures import KnownFailures
from ..suite.profiles import Profile
from ..suite.requirements import REQUIREMENTS, Requirement
from .options import setting, settings_list
from .selection import Selection, claimed_features
from .snapshots import OwnSnapshots

__all__ = ["HARNESS_ERROR", "TARGET_UNREACHABLE", "Conformance", "enable"]

KUBELETS_OWN = "exact/recorded/"
"""Requirements that only the kubelet's own decisions meet: not asked of a target with golden snapshots of its own."""
OWN_SNAPSHOTS = "documented, with own snapshots"
TARGET_UNREACHABLE = 10
HARNESS_ERROR = 11
_PROPERTY = "numa_case"
CASE_KEY = pytest.StashKey[Case]()
PLUGIN = "numa-conformance"


def enable(config: pytest.Config) -> None:
    """Register the suite's hooks and put the suite among what is collected."""
    config.addinivalue_line("markers", "requirement(*ids): the requirements of the documentation that a test checks")
    config.addinivalue_line("markers", "departs(quirk): the kubelet departs here; not asked at level exact")
    config.addinivalue_line("markers", "beside_node(surface): asks what the surface node is asked too")
    config.addinivalue_line("markers", "exact: asks for the kubelet's own placement; runs at level exact only")
    suite = str(data_folder("conformance"))
    part = config.args_source is pytest.Config.ArgsSource.ARGS and _inside(config.args, suite)
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [suite]
    elif not part:
        config.args = [suite, *config.args]
    config.option.importmode = "importlib"
    config.option.warn_unused_snapshots = True
    try:
        plugin = Conformance(config, part=part)
        config.pluginmanager.register(plugin, PLUGIN)
        if plugin.deep and not hasattr(config, "workerinput"):
            _show_progress(config, plugin.client)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error
    except NumaConformanceError as error:
        pytest.exit(f"the target cannot be asked: {error}", returncode=TARGET_UNREACHABLE)


def _show_progress(config: pytest.Config, client: Client) -> None:
    """Draw the progress of a long search."""
    from .deep import DeepProgress

    progress = DeepProgress.open(client)
    if progress is not None:
        config.pluginmanager.register(progress)


def _inside(args: list[str], suite: str) -> bool:
    return any(str(Path(arg.split("::")[0]).absolute()).startswith(suite) for arg in args)


class Conformance:
    """One run of the suite against one target."""

    def __init__(self, config: pytest.Config, *, part: bool) -> None:
        """Read the options and shake hands with the target; raises ``UsageError`` or ``TargetFault``.

        ``part``: the user named paths inside the suite, so not all of it runs.
        """
        self._part = part
        self._config = config
        self.level = setting(config, "numa_level")
        self.deep = bool(config.getoption("numa_deep") or config.getini("numa_deep"))
        profile = setting(config, "numa_profile")
        self.client = Client(_connection(config, self.level, Profile.parse(profile, DEFAULT).version))
        self.profile = Profile.parse(profile, self.client.description.kubernetesVersion)
        self.features = claimed_features(self.client.features, setting(config, "numa_features"))
        self.known = KnownFailures.read(setting(config, "numa_known_failures"))
        self._selection = Selection.read(config)
        self._snapshots = OwnSnapshots.read(config, self.level)
        self.machines = settings_list(config, "numa_machine")
        self._cases: dict[str, Case] = {}
        self._planned: set[str] = set()
        self._is_worker = hasattr(config, "workerinput")

    def own_golden(self, case: str) -> OwnGolden | None:
        """Return the target's own golden text of a case, None where the kubelet's is asked for."""
        return self._snapshots.golden(case) if self._snapshots else None

    def pytest_report_header(self) -> list[str]:
        """Say what is tested."""
        return header_lines(self.client.label, self.client.description, self.level, self.profile, deep=self.deep)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is not asked for; mark what the target does not claim."""
        kept: list[pytest.Item] = []
        dropped: list[pytest.Item] = []
        for item in items:
            names = _requirements_of(item)
            other_level = "departs" if self.level == "exact" else "exact"
            wanted = (
                item.get_closest_marker(other_level) is None
                and not self._is_asked_of_the_node(item)
                and self._asks([REQUIREMENTS[name] for name in names])
                and self._selection.wants(names, case_id(item))
            )
            (kept if wanted else dropped).append(item)
        if items and not kept:
            raise pytest.UsageError(f"nothing is selected: {self._selection}")
        if dropped:
            self._config.hook.pytest_deselected(items=dropped)
        items[:] = kept
        for item in items:
            self._prepare(item)

    def _is_asked_of_the_node(self, item: pytest.Item) -> bool:
        """Tell whether a case of a narrow surface says nothing that the node is not asked: it is for those without."""
        marker = item.get_closest_marker("beside_node")
        return marker is not None and marker.args[0] not in self.client.surfaces and "node" in self.client.surfaces

    def _asks(self, known: list[Requirement]) -> bool:
        """Tell whether the profile asks for a case of these requirements."""
        version = self.profile.version
        if self._snapshots and any(one.id.startswith(KUBELETS_OWN) for one in known):
            return False
        return all(self.profile.asks(one.features) and one.holds_in(version) for one in known)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take note of the cases that must come to a verdict."""
        ids = [case_id(item) for item in session.items]
        twice = sorted({one for one in ids if ids.count(one) > 1}) if len(set(ids)) < len(ids) else []
        if twice:
            raise pytest.UsageError(f"two cases have the id {twice[0]}; rename a test or its file")
        self._planned.update(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        """Plan what a worker of xdist has collected; all collect the same."""
        self._planned.update(_case_id(*nodeid.split("::", 1)) for nodeid in ids)

    def _prepare(self, item: pytest.Item) -> None:
        known = [REQUIREMENTS[name] for name in _requirements_of(item)]
        item.stash[CASE_KEY] = Case(case_id(item), [one.id for one in known], _areas(known), "passed")
        item.user_properties.extend(("requirement", one.id) for one in known)
        missing = sorted({name for one in known for name in one.features} - self.features)
        if missing:
            item.add_marker(pytest.mark.skip(reason=f"not claimed: {', '.join(missing)}"))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Name the verdict of a phase and send it along with the report."""
        report = yield
        case = item.stash.get(CASE_KEY, None)
        if case is None:
            return report
        verdict = self._verdict(report, call)
        if verdict is not None:
            details = "" if verdict in ("passed", "not claimed") else str(call.excinfo.value if call.excinfo else "")
            if verdict in UNMET and self.known.covers(case.requirements):
                verdict = "expected failure"
                report.outcome = "skipped"
                report.wasxfail = self.known.reason(case.requirements)
            elif verdict == "not claimed":
                report.outcome = "skipped"
                report.longrepr = report.longrepr if isinstance(report.longrepr, tuple) else ("", 0, details or verdict)
            scenario = self._judged(call)
            if scenario is not None and verdict == "failed":
                told = told_scenario(case.id, scenario, self._replay_options, setting(self._config, "numa_report"))
                report.sections.append(("numa-conformance", told))
                details = f"{details}\n\n{told}"
            item.stash[CASE_KEY] = case = case.with_verdict(verdict, details, scenario)
        if report.when == "call" or verdict is not None:
            report.user_properties.append((_PROPERTY, case.to_json()))
        return report

    def _judged(self, call: pytest.CallInfo[None]) -> dict[str, Any] | None:
        """Return the conversation that led to a finding, with the reference's answers beside the target's."""
        if call.excinfo is None or not isinstance(call.excinfo.value, Finding) or not call.excinfo.value.scenario:
            return None
        level: Level = "exact" if self.level == "exact" else "documented"
        return with_reference(call.excinfo.value.scenario, level, self.profile.version)

    @property
    def _replay_options(self) -> str:
        for option in ("target", "target-command"):
            value = setting(self._config, f"numa_{option.replace('-', '_')}")
            if value:
                return f" --{option} {shlex.quote(value)}"
        return ""

    def _verdict(self, report: pytest.TestReport, call: pytest.CallInfo[None]) -> Verdict | None:
        if call.excinfo is None:
            return "passed" if report.when == "call" else None
        error = call.excinfo.value
        if isinstance(error, Finding):
            return "failed"
        if isinstance(error, TargetFault):
            return cast(Verdict, error.verdict)
        if report.skipped:
            return "not claimed"
        return "error"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the cases, those of xdist's workers included."""
        for name, value in report.user_properties:
            if name == _PROPERTY:
                case = Case.from_json(str(value))
                before = self._cases.get(case.id)
                if before is None or before.verdict == "passed":
                    self._cases[case.id] = case

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Close the target, write the reports, set the exit code."""
        self.client.close()
        if self._is_worker:
            return
        self.summary = Summary.of(
            self.client.description,
            OWN_SNAPSHOTS if self._snapshots else self.level,
            self.profile,
            list(self._cases.values()),
            self.known,
            planned=self._planned,
            narrowed=self._part or self._selection.narrows or self._snapshots is not None,
        )
        folder = setting(self._config, "numa_report")
        if folder:
            write_reports(self.summary, Path(folder))
        if any(case.verdict == "error" for case in self.summary.cases):
            session.exitstatus = HARNESS_ERROR
        elif exitstatus == 0 and self.summary.problems:
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the verdict by area and requirement."""
        if self._is_worker or not hasattr(self, "summary"):
            return
        terminalreporter.section("numa-conformance")
        for line in summary_lines(self.summary):
            terminalreporter.write_line(line)


def _connection(config: pytest.Config, level: str, version: KubernetesVersion) -> Connection:
    factory, command = setting(config, "numa_target"), setting(config, "numa_target_command")
    if factory and command:
        raise pytest.UsageError("--numa-target and --numa-target-command exclude each other")
    try:
        timeout = float(setting(config, "numa_timeout"))
    except ValueError as error:
        raise pytest.UsageError(f"--numa-timeout: {error}; accepted are seconds") from error
    if timeout <= 0:
        raise pytest.UsageError("--numa-timeout must be more than 0 seconds")
    if command:
        return Stdio(command, timeout)
    if factory:
        return InProcess(load_factory(factory), factory, timeout)
    reference = functools.partial(ReferenceTarget, "exact" if level == "exact" else "documented", version)
    return InProcess(reference, "the bundled reference", timeout)


def case_id(item: pytest.Item) -> str:
    """Return the id of a case: file, test and parameters, the same wherever the suite is installed."""
    return _case_id(item.path, item.name)


def _case_id(file: str | Path, test: str) -> str:
    return f"{Path(file).stem}::{test}"


def _requirements_of(item: pytest.Item) -> list[str]:
    names = [str(name) for marker in item.iter_markers("requirement") for name in marker.args]
    for name in names:
        if name not in REQUIREMENTS:
            raise pytest.UsageError(f"{item.nodeid} names the requirement {name!r}, which is not in the registry")
    return names


def _areas(known: list[Requirement]) -> str:
    return known[0].area if known else "other"
