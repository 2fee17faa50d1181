"""What a process inherits from whoever started it, and what no test may depend on: these tests begin with defaults."""

import os
import signal

_OF_A_TERMINAL = {"COLUMNS": "120", "NO_COLOR": "1"}
_OTHERWISE = ("CLICOLOR_FORCE", "FORCE_COLOR", "LANGUAGE", "LINES", "PY_COLORS", "PYTHONDONTWRITEBYTECODE")
"""What would change what is printed; without bytecode each of hundreds of processes compiles anew what it imports."""


def reset_signals() -> None:
    """Take the defaults for signals that are ignored or blocked, as nohup and background jobs of a shell have them."""
    if os.name != "posix":
        return
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGCHLD):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Under nohup a run outlives its terminal; a handler, other than SIG_IGN, is not inherited by programs.
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda number, frame: None)


def reset_environment() -> None:
    """Set umask and locale, and the width and colours of a terminal, in this process and what it starts.

    gRPC's core reads how much it is to write when it is imported, which some tests do first of all.
    """
    os.umask(0o022)
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ["GRPC_VERBOSITY"] = "NONE"
    os.environ.update(_OF_A_TERMINAL)
    for name in _OTHERWISE:
        os.environ.pop(name, None)
