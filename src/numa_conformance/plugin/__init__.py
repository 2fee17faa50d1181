"""The pytest plugin. Without ``--numa-conformance`` it offers its fixtures and costs nothing else."""

import sys
from collections.abc import Generator

import pytest

from . import unchanged_modules as unchanged_modules  # first: it is how those behind it are found
from .options import add_options, tell_nearest


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the options, each with its ini twin, and offer the fixtures."""
    from . import fixtures

    add_options(parser)
    pluginmanager.register(fixtures, fixtures.__name__)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, object, object]:
    """Keep conftest files of the user's own tests away from the suite."""
    tell_nearest(parser, args)
    if not early_config.known_args_namespace.numa_conformance:
        return (yield)
    from .isolation import load_conftests

    return (yield from load_conftests(early_config, parser, args))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set up the suite when it is asked for; options of it that are typed without it are a mistake."""
    if config.getoption("numa_conformance"):
        from .conformance import enable

        enable(config)
        return
    options = [str(each).partition("=")[0] for each in config.invocation_params.args if str(each).startswith("--numa-")]
    if options:
        raise pytest.UsageError(f"{options[0]} has no effect without --numa-conformance")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Unregister Hypothesis' plugin where nothing used it: its part of the summary loads Hypothesis for nothing."""
    config = session.config
    plugin = config.pluginmanager.get_plugin("hypothesispytest")
    if plugin is None or "hypothesis" in sys.modules or config.getoption("hypothesis_show_statistics", False):
        return
    if not _was_used_by_a_worker(config):
        config.pluginmanager.unregister(plugin)


def _was_used_by_a_worker(config: pytest.Config) -> bool:
    """Tell whether Hypothesis ran in another process (pytest-xdist): reports bring what it has to say."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    reports = (report for reports in getattr(terminal, "stats", {}).values() for report in reports)
    return any("hypothesis" in name for report in reports for name in getattr(report, "__dict__", ()))
