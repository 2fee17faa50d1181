"""The node's state files: read at start, checked, and written whenever what they hold has changed."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from ...kube.pod import Pod
from ...machine.hostfs import MemoryStore, StateStore
from ..managers.provider import Provider
from ..managers.state_file import ManagerStateFile


class CheckpointKeeper:
    """Keeps a store in step with the managers.

    A file is written when the kubelet would write it: after a change, even one that is undone in the same step. An
    unchanged file keeps its bytes, also where a person edited them.
    """

    def __init__(self, store: StateStore, providers: Iterable[Provider]) -> None:
        self._store = store
        self._files = {provider: file for provider in providers if (file := provider.state_file)}
        self._changed: set[ManagerStateFile] = set()
        self._late: dict[str, Callable[[], str]] = {}

    def restore(self) -> None:
        """Read the files and let the managers take them over; raises ``StartError`` as the kubelet exits."""
        for file in sorted(self._files.values(), key=lambda file: file.lags):
            if file.restore(self._store.read(file.name), self._store.where(file.name)):
                self._write(file)

    @contextmanager
    def admitting(self, pod: Pod, *, anew: bool = False) -> Iterator[None]:
        """Notice what an admission changes, whether the pod is admitted or not.

        ``anew``: the pod is given what it has once more, which changes what is left though not what it holds.
        """
        before = self._holdings(pod)
        try:
            yield
        finally:
            for file, held, holds in zip(self._files.values(), before, self._holdings(pod), strict=True):
                if holds == held and (file.lags or not anew):
                    continue
                if file.lags:
                    self._write(file)
                else:
                    self._changed.add(file)

    def released(self, provider: Provider) -> None:
        """Notice that a manager has taken something back; its file is kept as it is until that is due."""
        file = self._files.get(provider)
        if file and not file.lags:
            self._changed.add(file)
            if file.name not in self._late and (text := self._as_written(file.name)):
                self._late[file.name] = text

    def due(self, provider: Provider) -> None:
        """Have what a manager released in its file for good: the kubelet releases when it asks that manager."""
        if file := self._files.get(provider):
            self._late.pop(file.name, None)

    def replaced(self, names: Iterable[str]) -> None:
        """Forget what was kept of some files."""
        for name in names:
            self._late.pop(name, None)

    def put_late(self) -> None:
        """Leave the files as a kubelet does that ends before it has released what is due."""
        for name, text in self._late.items():
            self._store.write(name, text())

    def save(self) -> None:
        """Write the files whose content has changed."""
        for file in self._files.values():
            if file in self._changed:
                self._write(file)
        self._changed.clear()

    def files(self) -> dict[str, str]:
        """Return the files as they are, sorted by name: name to content."""
        texts = {file.name: self._store.read(file.name) for file in self._files.values()}
        return {name: text for name, text in sorted(texts.items()) if text is not None}

    def _holdings(self, pod: Pod) -> list[list[object]]:
        names = [container.name for container in pod.all_containers]
        return [[provider.holding(pod.uid, name) for name in names] for provider in self._files]

    def _as_written(self, name: str) -> Callable[[], str] | None:
        if isinstance(self._store, MemoryStore):
            return self._store.read_later(name)
        text = self._store.read(name)
        return None if text is None else partial(str, text)

    def _write(self, file: ManagerStateFile) -> None:
        if isinstance(self._store, MemoryStore):
            self._store.write(file.name, file.content())
        else:
            self._store.write(file.name, file.content()())
