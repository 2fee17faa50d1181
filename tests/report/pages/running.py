"""The commands of a page, run one after another in a folder."""

import contextlib
import io
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asked_in_full import DEEP
from forked_pytest import PATIENT, run_as_typed
from numa_conformance.cli import main

from .not_run import why_not
from .page import ROOT, Command, File, parts

LENT = ("examples", "conformance", "go")
"""Folders of a clone that commands name."""


@dataclass(frozen=True)
class Outcome:
    """What came of a command: its exit code, and both streams as a terminal shows them."""

    command: Command
    code: int
    printed: str


def follow(text: str, folder: Path) -> Iterator[Outcome]:
    """Do in ``folder`` what a page says, and yield what came of each command that is run."""
    for name in LENT:
        (folder / name).symlink_to(ROOT / name)
    for part in parts(text):
        if isinstance(part, File):
            path = folder / part.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(part.text)
        elif why_not(part.typed) is None:
            yield _run(part, folder)


def _run(command: Command, folder: Path) -> Outcome:
    words = list(shlex.shlex(command.typed, posix=True, punctuation_chars=True))
    if {"|", "||", "&&", "&", ";", "<", "$"} & set(words):
        return _in_a_shell(command, folder)
    return {"numa-conformance": _in_process, "pytest": _in_a_fork}.get(words[0], _in_a_shell)(command, folder)


def _in_process(command: Command, folder: Path) -> Outcome:
    arguments = shlex.split(command.typed, comments=True)[1:]
    target = arguments.pop() if len(arguments) > 1 and arguments[-2] == ">" else None
    out, err = io.StringIO(), io.StringIO()
    here = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out if target is None else err):
            main(arguments[:-1] if target else arguments)
    except SystemExit as ended:
        code = ended.code
    finally:
        os.chdir(here)
    assert isinstance(code, int)
    if target:
        (folder / target).write_text(out.getvalue())
    return Outcome(command, code, err.getvalue() if target else out.getvalue())


def _in_a_fork(command: Command, folder: Path) -> Outcome:
    arguments = shlex.split(command.typed, comments=True)[1:]
    ran = run_as_typed(folder, *arguments, **_environment(command))
    return Outcome(command, int(ran.ret), "\n".join([*ran.outlines, *ran.errlines]))


def _environment(command: Command) -> dict[str, str]:
    """Return what is different for a command: a conversation of which nothing is shown is kept short."""
    part = "" if DEEP or command.shown is not None else " --numa-budget=2%"
    return {"PYTEST_ADDOPTS": f"-p no:cacheprovider {PATIENT}{part}", "NO_COLOR": "1"}


def _in_a_shell(command: Command, folder: Path) -> Outcome:
    env = {
        **os.environ,
        **_environment(command),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        ["/bin/sh", "-c", command.typed],
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Outcome(command, done.returncode, done.stdout)
