"""Keeps away from the suite what a user's own tests are set up with: conftest files, fixtures, settings."""

import argparse
import copy
import inspect
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from ..files import data_folder

_COMMAND_LINE = pytest.StashKey[argparse.Namespace]()
"""Where pytest's configuration keeps the options that were given beside those of the ini file."""
_CHOOSING = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "failedfirst", "stepwise", "maxfail")
"""Options of pytest that choose among tests: those of an ini file are meant for the user's own."""


def is_of_the_suite(path: str | Path) -> bool:
    """Tell whether a path lies in the folder of the suite."""
    return os.path.join(os.path.abspath(path), "").startswith(f"{data_folder('conformance')}{os.sep}")


def load_conftests(config: pytest.Config, parser: pytest.Parser, args: list[str]) -> Generator[None, object, object]:
    """Load the suite's conftest files only, unless user tests are named; block those that ini options alone need."""
    known = config.known_args_namespace
    if not all(is_of_the_suite(path.partition("::")[0]) for path in known.file_or_dir):
        return (yield)
    of_the_ini_file = config.getini("addopts")
    words = args[len(of_the_ini_file) :] if args[: len(of_the_ini_file)] == of_the_ini_file else args
    config.stash[_COMMAND_LINE] = parser.parse_known_args(words, copy.copy(config.option))
    if parser.parse_known_and_unknown_args(args, copy.copy(known))[1]:
        try:
            return (yield)
        finally:
            for name, _ in config.pluginmanager.list_name_plugin():
                if Path(name).name == "conftest.py" and not is_of_the_suite(name):
                    config.pluginmanager.set_blocked(name)
    known.file_or_dir, known.confcutdir = [str(data_folder("conformance"))], str(data_folder("conformance"))
    return (yield)


def settle(config: pytest.Config) -> None:
    """Find the suite's files and tests whatever the ini file calls the user's; nothing of it chooses among them."""
    config.addinivalue_line("python_files", "test_*.py")
    config.addinivalue_line("python_functions", "test")
    command_line = config.stash.get(_COMMAND_LINE, None)
    if command_line is None:
        return
    config.getini("norecursedirs").clear()
    for name in _CHOOSING:
        if hasattr(command_line, name):
            setattr(config.option, name, getattr(command_line, name))


class FixtureScope:
    """Keeps the suite's fixtures from a user's tests: before pytest 9.1 its conftest file would belong to no folder."""

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Take the suite's fixtures away before the first file of the user's: by then the suite's tests have theirs."""
        if not isinstance(collector, pytest.Module) or is_of_the_suite(collector.path):
            return
        for known in getattr(collector.session._fixturemanager, "_arg2fixturedefs", {}).values():
            known[:] = [fixture for fixture in known if not _is_written_in_the_suite(fixture.func)]


def _is_written_in_the_suite(function: object) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and is_of_the_suite(code.co_filename)


def shield(item: pytest.Item) -> None:
    """Give a case of the suite the fixtures that it names and no others, and let no warning or clock end it."""
    if not isinstance(item, pytest.Function) or not is_of_the_suite(item.path):
        return
    named = inspect.signature(item.function).parameters
    item.fixturenames[:] = [name for name in item.fixturenames if name in named]
    config = item.config
    for text in [*config.getini("filterwarnings"), *(config.known_args_namespace.pythonwarnings or ())]:
        action, colon, rest = text.partition(":")
        if action.strip() == "error":
            item.add_marker(pytest.mark.filterwarnings(f"default{colon}{rest}"))
    if config.pluginmanager.hasplugin("timeout") and not config.getoption("timeout", None):
        # One call of the target has a time of its own; a case may hold thousands.
        item.add_marker(pytest.mark.timeout(0))
