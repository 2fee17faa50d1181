"""Programs that stand for images: what containers of pods run on a node of a cluster, as they are."""

import contextlib
import os
import re
import select
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path

from ...files import read_in_place
from ..kubelet.cri_objects import CriContainer, Programs
from ..kubelet.launcher import HOME, Launcher

_REPOSITORY = re.compile(r"(.*?)(:[^/:]+)?(@.*)?")
"""An image without its tag and digest."""
_MOST_BYTES = 65536


class ImagePrograms(Programs):
    """Starts the program of an image with the container's arguments, environment and mounts, and keeps its log.

    It takes the place of the container's entrypoint, the first word of its ``command``. ``images``: image, with or
    without a tag, to the words that start its program.
    """

    def __init__(
        self,
        images: Mapping[str, Sequence[str]],
        folders: tuple[Path, Path],
        launcher: Launcher,
        settings: Mapping[str, str],
        kubelet: Callable[[], int],
        ended: Callable[[str, str, int], None],
    ) -> None:
        """Take the node's folder and the one in which programs start, the environment of all, and the kubelet's number.

        ``ended`` is called with a pod's uid, its container and the exit code.
        """
        self._images = images
        self._folder, self._place = folders
        self._launcher, self._settings = launcher, settings
        self._kubelet, self._ended = kubelet, ended
        self._numbers: dict[str, int] = {}

    def _words(self, container: CriContainer, words: Sequence[str]) -> list[str] | None:
        """Return words with the image's program in place of the first one; None where nothing stands for the image."""
        image = container.config.image
        name = image.user_specified_image or image.image
        match = _REPOSITORY.fullmatch(name)
        program = self._images.get(name) or self._images.get(match[1] if match else name)
        return None if program is None else [*program, *words[1:]]

    def start(self, container: CriContainer) -> bool:
        """Start the program."""
        config = container.config
        words = self._words(container, [*(config.command or [""]), *config.args])
        if words is None:
            return False
        settings = {each.key: each.value for each in config.envs} | dict(self._settings)
        settings |= dict(variable.split("=", 1) for variable in container.environment)
        mounts = [(mount.host_path, mount.container_path) for mount in config.mounts]
        pipe = self._folder / f"pipe-{container.id[:16]}"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        writer = os.open(pipe, os.O_WRONLY | os.O_CLOEXEC)  # so that the pipe does not end before the program opens it
        os.set_blocking(reader, True)
        number = self._launcher.run(pipe, words, settings, place=(self._kubelet(), self._place), mounts=mounts)
        self._numbers[container.id] = number
        log = self._folder / container.log.removeprefix(f"{HOME}/")
        end = f"\0{container.id}\n".encode()
        log_writer = threading.Thread(target=_write_log, args=(reader, log, end), daemon=True)
        log_writer.start()

        def follow() -> None:
            code = self._code(number)
            pipe.unlink(missing_ok=True)
            with contextlib.suppress(BrokenPipeError):  # nothing could be logged
                os.write(writer, end)  # what it has started may hold the pipe
            os.close(writer)
            log_writer.join()  # who asks for the log of an ended container reads all of it
            self._ended(container.uid, container.name, 0 if code is None else code)

        threading.Thread(target=follow, daemon=True).start()
        return True

    def _code(self, number: int, seconds: float | None = None) -> int | None:
        """Wait for the end of a program, and return its exit code; None where it runs on after so many seconds."""
        process = os.pidfd_open(number)
        try:
            ended, _, _ = select.select([process], [], [], seconds)
        finally:
            os.close(process)
        return self._launcher.code(number) if ended else None

    def send(self, container: CriContainer, number: int) -> bool:
        """Send a signal to the program, and to what it has started."""
        if container.id not in self._numbers:
            return False
        _kill(self._numbers[container.id], number)
        return True

    def execute(self, container: CriContainer, words: Sequence[str], seconds: float) -> tuple[int | None, bytes]:
        """Run a command next to the program; the container's entrypoint is the program again."""
        number = self._numbers.get(container.id)
        if number is None:
            return super().execute(container, words, seconds)
        is_entrypoint = list(container.config.command[:1]) == list(words[:1])
        words = (self._words(container, words) if is_entrypoint else None) or list(words)
        output = self._folder / f"exec-{container.id[:16]}-{time.monotonic_ns()}"
        try:
            probe = self._launcher.run(output, words, self._settings, place=(number, Path("/")))
            code = self._code(probe, None if seconds == float("inf") else seconds)
            if code is None:
                _kill(probe, signal.SIGKILL)
                self._launcher.end(probe)
            return code, (read_in_place(str(output), _MOST_BYTES) or b"")[:_MOST_BYTES]
        finally:
            output.unlink(missing_ok=True)

    def close(self) -> None:
        """Kill all programs."""
        for number in self._numbers.values():
            _kill(number, signal.SIGKILL)


def _kill(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended
        os.killpg(group, number)


def _write_log(reader: int, log: Path, end: bytes) -> None:
    """Write what a pipe has before its end as a runtime does: time, stream, whether the line is whole, line."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(reader, "rb") as lines, log.open("ab") as written:
        for text in lines:
            line = text.removesuffix(end)
            if not line:
                break
            when = datetime.now(timezone.utc).isoformat().replace("+00:00", "Z")
            written.write(f"{when} stdout F ".encode() + line.rstrip(b"\n") + b"\n")
            written.flush()
            if line != text:
                break
