"""The suite, collected once in a process of its own, which forks for each target that is to be asked."""

import contextlib
import multiprocessing
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from asked_in_full import DEEP
from forked_pytest import FORKS, PATIENT


class CollectedSuite:
    """Asks one target after another, each in a fork of the process that has collected the suite."""

    def __init__(self, folder: Path) -> None:
        """Begin to collect; runs take place in this folder."""
        (folder / "pytest.ini").write_text("[pytest]\n")
        self._folder = folder
        self._calls, theirs = multiprocessing.Pipe()
        self._process = FORKS.Process(target=_collect, args=(folder, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def ask(
        self,
        target: str,
        level: str,
        requirements: Iterable[str],
        report: Path,
        keyword: str = "",
        version: str = "",
        part: str = "25%" if DEEP else "8%",
    ) -> tuple[int, str]:
        """Run the cases of these requirements, those of a keyword; returns the exit code and what was printed.

        Without a ``version`` they are asked as of the target's. Those of a keyword are asked whole, others in part.
        """
        options = {"target": target, "level": level, "requirement": list(requirements), "report": str(report)}
        options["profile"] = f"all@{version}" if version else ""
        options["budget"] = "100%" if keyword else part
        self._calls.send({"keyword": keyword, **{f"numa_{name}": value for name, value in options.items()}})
        code = self._calls.recv()
        return code, (self._folder / "printed.txt").read_text(encoding="utf-8")

    def close(self) -> None:
        """End the process."""
        self._calls.close()
        self._process.join()


def _collect(folder: Path, calls) -> None:
    os.chdir(folder)
    brief = [PATIENT, "--numa-no-shrink", "--numa-budget", "8%"]  # which each call says anew
    quiet = ["-q", "--tb=short", "--capture=no", "-p", "no:cacheprovider", "--basetemp", "made"]
    with (folder / "printed.txt").open("a", encoding="utf-8") as printed:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = pytest.main(["--numa-conformance", *brief, *quiet], plugins=[_Forks(calls, printed)])
        printed.flush()
    # What else would be done at the end of a process is the business of the one that was forked.
    os._exit(int(code))


class _Forks:
    """Stops pytest once all is collected, and goes on in a fork for each call."""

    def __init__(self, calls, printed) -> None:
        self._calls = calls
        self._printed = printed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        """Wait for calls; returns in forks only."""
        from numa_conformance.plugin.run import RUN, Run
        from numa_conformance.plugin.selection import Selection

        config.stash[RUN].client.close()
        for options in iter(self._next_call, None):
            self._printed.flush()
            child = os.fork()
            if child == 0:
                self._printed.truncate(0)
                vars(config.option).update(options)
                config.stash[RUN] = Run.read(config, Selection.read(config))
                return
            _, status = os.waitpid(child, 0)
            self._calls.send(os.waitstatus_to_exitcode(status))
        os._exit(0)

    def _next_call(self):
        with contextlib.suppress(EOFError):
            return self._calls.recv()
        return None
