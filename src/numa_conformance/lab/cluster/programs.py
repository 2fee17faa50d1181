"""Programs of a cluster that are started again when they end, as those of a DaemonSet or a Deployment."""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ...files import end_of
from ..daemon.daemon import MOST_RESTARTS
from ..kubelet.launcher import Launcher

STARTED_AGAIN = "; it is started again, which a kubelet does after a pause"


@dataclass
class ClusterProgram:
    """One program, and its log. ``begin`` starts it and returns its process; ``fallen``: how it has ended for good.

    ``number``: the process, 0 before ``start``.
    """

    name: str
    log: Path
    launcher: Launcher
    begin: Callable[[Path], int]
    restarts: int = 0
    fallen: str = ""
    number: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Start it, anew where it runs."""
        with self._lock:  # who looks meanwhile would start it a second time
            self.launcher.end(self.number)
            self.restarts, self.fallen = 0, ""
            self.number = self.begin(self.log)

    def look(self) -> str:
        """Start it again where it has ended, three times at most; return what happened, nothing where it runs."""
        with self._lock:
            if self.fallen or not self.launcher.has_ended(self.number):
                return ""
            text = f"{self.name} has ended: {last_words(self.log)}"
            if self.restarts == MOST_RESTARTS:
                self.fallen = text
                return text
            self.restarts += 1
            self.number = self.begin(self.log)
            return text + STARTED_AGAIN


_ERROR = re.compile(r'^[EF]\d{4} .*?\] "?(.*?)"?$', re.MULTILINE)
_BEGINS = ("Error:", "error:", "panic:")
_LONGEST = 500
_END_BYTES = 65536


def last_words(log: Path) -> str:
    """Return the last error that a log tells of, else its last line; it may be klog's, or JSON lines as etcd writes."""
    text = end_of(log, _END_BYTES)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reasons = list(filter(None, map(_of_json, lines))) or [line for line in lines if line.startswith(_BEGINS)]
    return (reasons or _ERROR.findall(text) or lines or ["it said nothing"])[-1][:_LONGEST]


def met_a_port_in_use(log: Path) -> bool:
    """Tell whether a program ended because somebody else took its port meanwhile."""
    return "address already in use" in end_of(log, _END_BYTES)


def _of_json(line: str) -> str:
    """Return what a line of JSON tells of an error; nothing where it tells of none."""
    try:
        entry = json.loads(line)
    except ValueError:
        return ""
    if not isinstance(entry, dict) or entry.get("level") not in ("error", "panic", "fatal"):
        return ""
    return ": ".join(str(entry[key]) for key in ("msg", "error") if key in entry)
