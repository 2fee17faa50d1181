"""What keeps the package from costing anything in projects that merely have it installed."""

from __future__ import annotations

import sys

import pytest

_THEIRS = "hypothesispytest"
"""The name under which Hypothesis registers its plugin, which comes with us."""


def spare_hypothesis(config: pytest.Config) -> None:
    """Take Hypothesis' plugin away before the summary of a run in which nothing used Hypothesis.

    Its part of the summary loads all of Hypothesis, more than half a second, to find that there is nothing to tell.
    """
    plugin = config.pluginmanager.get_plugin(_THEIRS)
    if plugin is None or "hypothesis" in sys.modules or config.getoption("hypothesis_show_statistics", False):
        return
    if not _was_used_by_a_worker(config):
        config.pluginmanager.unregister(plugin)


def _was_used_by_a_worker(config: pytest.Config) -> bool:
    """Tell whether Hypothesis ran in another process (pytest-xdist): reports bring what it has to say."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    reports = (report for reports in getattr(terminal, "stats", {}).values() for report in reports)
    return any("hypothesis" in name for report in reports for name in getattr(report, "__dict__", ()))
