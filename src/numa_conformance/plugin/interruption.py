"""What a signal that asks to end does to a run."""

import pytest

from ..wire.termination import EndsInOrder


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
