"""``KnownFiles``: the state files of a node that a history has reported so far."""

from collections.abc import Mapping

from ..wire.messages.node import Checkpoints
from .settings import Settings

CPU_FILE, MEMORY_FILE = "cpu_manager_state", "memory_manager_state"
DEVICE_FILE = "kubelet_internal_checkpoint"
CPU_POLICY, MEMORY_POLICY, CPUS = "CPU Manager policy", "Memory Manager policy", "CPUs"
"""What a state file is of."""
Texts = Mapping[str, str]
"""State file to text."""
Files = Mapping[str, "str | None"]
"""State file to text; None: deleted."""


class KnownFiles:
    """Remembers the reported files, the states between two reports, and the CPUs of the node that wrote them."""

    def __init__(self) -> None:
        self._texts: Texts | None = None
        self._on_the_way: list[Texts] = []
        self._online: dict[str, int] = {}

    def remember(self, reply: Checkpoints, online: int) -> None:
        """Remember the files of a node with these CPUs, and the writes that led to them."""
        texts = reply.checkpoints
        self._on_the_way = [] if self._texts is None else [self._texts]
        for write in (reply.writes or ()) if self._on_the_way else ():
            self._on_the_way.append(_present({**self._on_the_way[-1], write.file: write.text}))
        self._texts = texts
        self._online.update(dict.fromkeys(texts.values(), online))

    def begin(self) -> None:
        """Begin with another node; the CPUs of known texts stay known."""
        self._texts, self._on_the_way = None, []

    def forget(self) -> None:
        """Treat the next reported files as unrelated to the last ones."""
        self._texts = None

    def are_on_the_way(self, files: Files) -> bool:
        """Whether a node that ended between two writes, or after them, had left these files."""
        return _present(files) in self._on_the_way

    def are_own(self, files: Files) -> bool:
        """Whether these are the files that were reported last."""
        return self._texts is not None and _present(files) == self._texts

    def of_other_cpus(self, text: str, online: int) -> bool:
        """Tell whether a text is known to be of a node with other CPUs."""
        return self._online.get(text, online) != online


def _present(files: Files) -> Texts:
    return {name: text for name, text in files.items() if text is not None}


def policies_of(settings: Settings) -> Mapping[str, tuple[str, str, str]]:
    """Return of each policy that a state file holds: the file, the policy, and the field of the configuration."""
    return {
        CPU_POLICY: (CPU_FILE, "static" if settings.static else "none", "cpuManagerPolicy"),
        MEMORY_POLICY: (MEMORY_FILE, "Static" if settings.memory_static else "None", "memoryManagerPolicy"),
    }
