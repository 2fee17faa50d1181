"""The suite as a pytest run: puts it among what is collected, and registers what asks and judges.

The folder for reports belongs to one run at a time, from before its first question. Two would remove and replace each
other's files. What an earlier run has left would speak for one that dies.
"""

import contextlib
import fcntl
import gc
import os
from pathlib import Path

import pytest

from ..asking.profiles import Profile
from ..errors import NumaConformanceError, UsageError
from ..files import data_folder, write_text
from ..printable import printable
from ..report.case import check_others_files
from ..sources.versions import DEFAULT
from ..wire.termination import EndsInOrder
from .choice import CaseChoice
from .conclusion import TARGET_UNREACHABLE, Conclusion, Terminal
from .isolation import FixtureScope, is_of_the_suite, settle
from .options import NAMING, asks_nothing, setting
from .run import RUN, Run
from .selection import Selection
from .spending import ShortCases
from .verdicts import VerdictHooks


class ReportFolder:
    """Holds the folder until the end; the system lets go of it when the process is killed."""

    _held: int | None = None

    def take(self, config: pytest.Config) -> None:
        """Take the folder and report a run that is not finished; raises ``UsageError`` if that is not to be done."""
        if hasattr(config, "workerinput") or asks_nothing(config) or setting(config, "numa_list"):
            return
        folder, markdown = setting(config, "numa_report"), setting(config, "numa_markdown")
        if folder:
            self._lock(folder)
        if folder or markdown:
            _write_report_under_way(config, folder, markdown)

    def _lock(self, folder: str) -> None:
        with contextlib.suppress(OSError):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self._held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        if self._held is None:
            return
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise pytest.UsageError(f"--numa-report: another run is writing to {folder}; name another folder") from None
        except OSError:
            pass  # a file system without locks
        check_others_files(Path(folder))

    def pytest_unconfigure(self) -> None:
        """Let go of the folder when the run is over."""
        self.close()

    def close(self) -> None:
        """Let go of the folder, for processes that were forked too."""
        if self._held is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._held, fcntl.LOCK_UN)
            os.close(self._held)
            self._held = None


def _write_report_under_way(config: pytest.Config, folder: str, markdown: str) -> None:
    # Templates cost each worker of xdist its start.
    from ..report.writers import markdown_text, report_under_way, write_reports

    target = next((value for name in NAMING if (value := setting(config, f"numa_{name}"))), "the bundled reference")
    version = Profile.parse(setting(config, "numa_profile"), DEFAULT).version
    summary = report_under_way(target, setting(config, "numa_level"), str(version))
    with contextlib.suppress(UsageError):
        if folder:
            write_reports(summary, Path(folder))
        if markdown:
            write_text(Path(markdown), markdown_text(summary))


_MADE_MEANWHILE = 2_000_000
"""Objects that are made between two looks. By Python's own 700 the looks take a fifth of a run's time."""


class RareGarbage:
    """Looks seldom from the end of the collection on, and never at what was there by then."""

    def __init__(self) -> None:
        self._before = gc.get_threshold()

    def pytest_collection_finish(self) -> None:
        """Put the collected cases aside: they stay until the process ends."""
        gc.freeze()
        gc.set_threshold(_MADE_MEANWHILE, *self._before[1:])

    def pytest_unconfigure(self) -> None:
        """Look as often as before, but at nothing of this run: pytest's own looks would take as long as a group."""
        gc.freeze()
        gc.set_threshold(*self._before)


class Termination(EndsInOrder):
    """Makes of SIGTERM and SIGHUP what Ctrl-C is: the target is closed, and what was asked so far is told."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Leave out places without a line, where a signal may fall: pytest ends with a TypeError on them."""
        at = excinfo.tb
        while (behind := at.tb_next) is not None:
            if (behind.tb_lineno or 0) < 1:
                at.tb_next = behind.tb_next
            else:
                at = behind

    def pytest_sessionstart(self) -> None:
        """Take the signals, unless somebody else has them."""
        self.__enter__()

    def pytest_unconfigure(self) -> None:
        """Leave the signals as they were."""
        self.__exit__()


_MARKERS = (
    "requirement(*ids): the requirements of the documentation that a test checks",
    "surfaces(*names): the surfaces on which a case shows",
    "beside_node: asks of other surfaces what the surface node is asked too",
    "documented: asks what the documentation says; not asked at level exact",
    "xdist_group(name): cases that share what was asked, for --dist loadgroup",
    "generated: judges generated histories",
    "exact: asks for the kubelet's own placement; runs at level exact only",
)


def enable(config: pytest.Config) -> None:
    """Register the suite's hooks and put the suite among what is collected."""
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    settle(config)
    part = _collect_the_suite(config)
    folder = ReportFolder()
    config.pluginmanager.register(folder)
    try:
        try:
            selection = Selection.read(config, part=part)  # maybe of the report that is replaced next
        finally:
            folder.take(config)
        config.stash[RUN] = Run.read(config, selection)
    except UsageError as error:
        raise pytest.UsageError(printable(str(error))) from error
    except NumaConformanceError as error:
        pytest.exit(printable(f"the target cannot be asked: {error}"), returncode=TARGET_UNREACHABLE)
    config.pluginmanager.register(FixtureScope())
    config.pluginmanager.register(CaseChoice(config))
    if listing := setting(config, "numa_list"):
        from .listing import Lister

        config.option.collectonly = True
        # Programs may read the output, so pytest's own lines are kept off it.
        config.pluginmanager.set_blocked("terminalreporter")
        config.pluginmanager.register(Lister(listing))
        return
    for hooks in (VerdictHooks(), Conclusion(config), Terminal(), Termination(), RareGarbage()):
        config.pluginmanager.register(hooks)
    if config.stash[RUN].selection.named:
        # A few cases need no workers of xdist, which could not say that a case is not there.
        config.option.dist, config.option.tx = "no", []
    if config.stash[RUN].budget.seconds is not None:
        config.pluginmanager.register(ShortCases(config.stash[RUN].spending))


def _collect_the_suite(config: pytest.Config) -> bool:
    """Add the suite to what the user named; tell whether that was a part of the suite, which then stays alone."""
    suite = str(data_folder("conformance"))
    named = config.args_source is pytest.Config.ArgsSource.ARGS and config.args != [suite]
    part = named and any(is_of_the_suite(argument.split("::")[0]) for argument in config.args)
    if not part:
        config.args = [suite, *config.args] if named else [suite]
    config.option.importmode = "importlib"
    return part
