"""What a container runtime keeps of the kubelet's pods and containers, and how it tells of them (CRI v1)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...documents import read_documents
from ...errors import NumaConformanceError, UsageError
from ...fields import object_at, objects_at
from ..kubelet_apis.interfaces import CRI

CREATED, RUNNING, EXITED = 0, 1, 2
READY, NOT_READY = 0, 1
NOWHERE = "192.0.2.1"
"""An address of the network for documentation, where nobody serves."""


class RefusedError(NumaConformanceError):
    """A container, or its pod, cannot be made: who says so hears of what happens, or its devices are not there."""


@dataclass
class Sandbox:
    """A pod's sandbox as the kubelet wants it."""

    id: str
    config: Any
    created: int
    state: int = READY

    @property
    def uid(self) -> str:
        """The uid of its pod."""
        return str(self.config.metadata.uid)


@dataclass
class CriContainer:
    """One container as the kubelet wants it; ``resources`` are the last that it was given, at creation or later.

    ``environment``: what CDI devices add to that of its configuration, ``NAME=VALUE``. ``is_made``: whether the kubelet
    was told that it is there.
    """

    id: str
    sandbox: Sandbox
    config: Any
    resources: Any
    created: int
    environment: list[str] = field(default_factory=list)
    is_made: bool = False
    state: int = CREATED
    started: int = 0
    finished: int = 0
    exit_code: int = 0

    @property
    def uid(self) -> str:
        """The uid of its pod."""
        return self.sandbox.uid

    @property
    def name(self) -> str:
        """Its name in the pod."""
        return str(self.config.metadata.name)

    @property
    def log(self) -> str:
        """The file of its log, as the kubelet names it."""
        return f"{self.sandbox.config.log_directory}/{self.config.log_path}"

    @property
    def has_started(self) -> bool:
        """Whether it was started. It may have ended since."""
        return self.state != CREATED

    @property
    def is_running(self) -> bool:
        """Whether it runs now."""
        return self.state == RUNNING


class Programs:
    """What runs in containers: nothing, unless a derived class starts programs in place of images."""

    def start(self, container: CriContainer) -> bool:
        """Start what a container is to run; False where nothing stands for its image."""
        return False

    def send(self, container: CriContainer, number: int) -> bool:
        """Send a signal to what a container runs; False where that is nothing."""
        return False

    def execute(self, container: CriContainer, words: Sequence[str], seconds: float) -> tuple[int | None, bytes]:
        """Run a command in a container; returns its exit code, None where it took longer, and what it wrote."""
        return 1, b"containers run nothing here"


Hears = Callable[[str, Sandbox, CriContainer | None], None]
"""What hears of an event, by NRI's name, of a sandbox or a container; it may raise ``RefusedError``."""


def nobody(event: str, sandbox: Sandbox, container: CriContainer | None) -> None:
    """Hear of what happens, and do nothing."""


def ready() -> Any:
    """Return the status of a runtime that is ready."""
    conditions = [CRI.RuntimeCondition(type=condition, status=True) for condition in ("RuntimeReady", "NetworkReady")]
    return CRI.RuntimeStatus(conditions=conditions)


def fits(wanted: Any, made: Sandbox | CriContainer) -> bool:
    """Tell whether a filter of CRI takes a sandbox or a container."""
    return (
        wanted.id in ("", made.id)
        and (not wanted.HasField("state") or wanted.state.state == made.state)
        and all(made.config.labels.get(key) == value for key, value in wanted.label_selector.items())
    )


def fields_of(made: Sandbox | CriContainer) -> dict[str, Any]:
    """Return what lists and statuses tell alike; of a container its image too."""
    config = made.config
    image = {"image": config.image, "image_ref": config.image.image} if isinstance(made, CriContainer) else {}
    of_config = {name: getattr(config, name) for name in ("metadata", "labels", "annotations")}
    return {"id": made.id, "state": made.state, "created_at": made.created, **of_config, **image}


def sandbox_status(sandbox: Sandbox, address: str) -> Any:
    """Return a sandbox's status. It repeats the namespaces asked for, else the kubelet makes the pod ever again."""
    options = sandbox.config.linux.security_context.namespace_options
    return CRI.PodSandboxStatus(
        **fields_of(sandbox),
        network=CRI.PodSandboxNetworkStatus(ip=address),
        linux=CRI.LinuxPodSandboxStatus(namespaces=CRI.Namespace(options=options)),
    )


def container_status(container: CriContainer) -> Any:
    """Return a container's status. It names a log: the kubelet removes all files that begin with what it is told."""
    return CRI.ContainerStatus(
        **fields_of(container),
        started_at=container.started,
        finished_at=container.finished,
        exit_code=container.exit_code,
        reason=("Error" if container.exit_code else "Completed") if container.state == EXITED else "",
        log_path=container.log,
    )


def environment(folder: Path, devices: Iterable[str]) -> list[str]:
    """Return the variables, ``NAME=VALUE``, of devices; raises ``RefusedError`` where one is not there."""
    specs = list(_specs(folder))
    return [variable for device in devices for variable in _of_device(specs, device)]


def _specs(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.iterdir()):
        if file.suffix in (".json", ".yaml"):
            try:
                yield from (document.value for document in read_documents(file) if isinstance(document.value, dict))
            except (OSError, UsageError) as error:
                raise RefusedError(f"the CDI file {file.name} cannot be read: {error}") from error


def _of_device(specs: Iterable[dict[str, Any]], device: str) -> list[str]:
    kind, _, name = device.partition("=")
    for spec in specs:
        for known in objects_at(spec, "devices") if spec.get("kind") == kind else ():
            if known.get("name") == name:
                variables = [object_at(each, "containerEdits").get("env") for each in (spec, known)]
                return [str(variable) for each in variables if isinstance(each, list) for variable in each]
    raise RefusedError(f"there is no CDI device {device}, with which a container would be made")
