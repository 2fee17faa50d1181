"""One run of the suite: who is asked, what, and at which level."""

import functools
import math
import os
import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from ..asking.asking import Budget
from ..asking.examples.goldens import Golden
from ..asking.known_failures import KnownFailures
from ..asking.profiles import MachineChoice, Profile
from ..asking.shares import idle_cpus
from ..errors import Fault, UsageError
from ..files import data_folder
from ..lab.daemon.daemon import serving, serving_kubelet
from ..reference.target import Level, ReferenceTarget
from ..report.claims import TARGET_SNAPSHOTS
from ..sources.versions import DEFAULT, KubernetesVersion
from ..wire import Client, Connection, InChild, InProcess, Stdio, load_factory
from ..wire.messages.describe import Description
from ..wire.target_record import TargetRecord
from .deep import DEFAULT_SECONDS, FirstFinding
from .options import NAMING, is_set, setting, settings_list
from .selection import Selection, claimed_features
from .spending import BEGAN, Spending


@dataclass(frozen=True, slots=True)
class Snapshots:
    """A folder of golden texts, whether they are written anew, and whether they are the target's own."""

    folder: Path
    update: bool
    named: str = ""
    """How the option names a folder of the target's own."""

    @property
    def of_target(self) -> bool:
        """Whether they are the target's own."""
        return bool(self.named)

    @classmethod
    def read(cls, config: pytest.Config) -> "Snapshots":
        """Read the options; raises ``UsageError`` for what would write over the kubelet's golden texts."""
        folder = setting(config, "numa_snapshots")
        update = is_set(config, "numa_snapshot_update")
        if not folder:
            if update and any(setting(config, f"numa_{name}") for name in NAMING):
                message = "would replace the kubelet's golden snapshots by those of the target"
                raise UsageError(Fault("--numa-snapshot-update", message, "together with --numa-snapshots FOLDER"))
            return cls(data_folder("conformance") / "exact" / "golden", update=update)
        if Path(folder).exists() and not Path(folder).is_dir():
            raise UsageError(Fault("--numa-snapshots", f"{folder} is no folder"))
        place = Path(folder).absolute()
        nearest = next(place for place in (place, *place.parents) if place.exists())
        if update and not (nearest.is_dir() and os.access(nearest, os.W_OK)):
            raise UsageError(Fault("--numa-snapshots", f"{nearest} takes no files", "a folder that can be written"))
        return cls(place, update=update, named=folder)

    def golden(self, case: str, version: KubernetesVersion, target: str) -> Golden:
        """Return the golden text of a case in a version, the kubelet's or that of a target."""
        return Golden(self.folder, case, version, update=self.update, policy=target if self.of_target else "")


AT_ONCE = {"numa_kubelet": 1, "numa_dra_driver": 2}
"""How many of these are asked side by side for each CPU."""
MOST_AT_ONCE = 64
TIMEOUT, LONGER_TIMEOUT = 10.0, 120.0
"""Seconds that one call may take; the longer where a call starts a kubelet or a daemon."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the options ask for, and the target, which has described itself."""

    client: Client
    level: Level
    profile: Profile
    features: frozenset[str]
    """What the target is taken to claim."""
    known: KnownFailures
    selection: Selection
    snapshots: Snapshots
    machines: MachineChoice
    """The machines to test on."""
    deep: bool
    search_seconds: float
    """How long further seeds are asked, if the run is deep."""
    shrinks: bool
    budget: Budget
    """How much of the generated conversations is asked."""
    spending: Spending
    """The time that the run has in all."""
    report: str
    """The folder for reports; empty for none."""
    markdown: str
    """The file for a summary in Markdown; empty for none."""
    keeps_histories: bool
    """Whether the folder keeps all generated conversations, not only those that broke something."""
    at_once: int
    """How many of the target are asked generated conversations side by side, each by a thread."""
    processes: int
    """How many of it are, each in a process that judges too."""
    notice: FirstFinding
    """Learns what came of each history at once."""
    another: Callable[[], Client]
    """Makes one more of the target."""
    same_process: bool
    """Whether a target of a stranger is asked in this process, and could change whatever it likes."""
    again: str
    """The options with which ``numa-conformance replay`` asks this target."""
    telling: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Whether, as 1 or 0, a MUST was tellingly asked on a machine."""

    @classmethod
    def read(cls, config: pytest.Config, selection: Selection) -> "Run":
        """Read the other options and shake hands with the target; raises ``UsageError`` or ``TargetFault``."""
        snapshots = Snapshots.read(config)
        exact = setting(config, "numa_level") == "exact" and not snapshots.of_target
        level: Level = "exact" if exact else "documented"
        profile = setting(config, "numa_profile")
        budget, deep = Budget.parse(setting(config, "numa_budget")), is_set(config, "numa_deep")
        worker_input = getattr(config, "workerinput", {})
        began, described = worker_input.get(BEGAN), worker_input.get(DESCRIBED)
        spending = Spending(None if deep else budget.seconds, began=began)
        version = Profile.parse(profile, DEFAULT).version

        statements = TargetRecord(msgspec.convert(described, Description) if described else None)

        def another() -> Client:
            return Client(open_connection(config, level, version), statements)

        known = KnownFailures.read(setting(config, "numa_known_failures"))
        (at_once, processes), client = _side_by_side(config, budget), another()
        client.name(**{name: value for name in ("name", "version") if (value := setting(config, f"numa_{name}"))})
        return cls(
            client=client,
            level=level,
            profile=Profile.parse(profile, client.description.kubernetes_version, client.surfaces),
            features=claimed_features(client.features, setting(config, "numa_features")),
            known=known,
            selection=selection,
            snapshots=snapshots,
            machines=MachineChoice.parse(settings_list(config, "numa_machine")),
            deep=deep,
            search_seconds=budget.seconds or DEFAULT_SECONDS,
            shrinks=not is_set(config, "numa_no_shrink"),
            budget=Budget(part=budget.part) if deep else budget,
            spending=spending,
            report=setting(config, "numa_report"),
            markdown=setting(config, "numa_markdown"),
            keeps_histories=_keeps_histories(config),
            at_once=at_once,
            processes=processes,
            notice=FirstFinding(config, known, statements),
            another=another,
            same_process=bool(setting(config, "numa_target")) and is_set(config, "numa_same_process"),
            again=_replay_options(config),
        )

    @property
    def measure(self) -> str:
        """What the target is measured by: a level, or the documentation and the target's own snapshots."""
        return TARGET_SNAPSHOTS if self.snapshots.of_target else self.level

    @property
    def claimed(self) -> frozenset[str]:
        """The features it is taken to claim, of those that the profile offers."""
        return self.features & self.profile.offered

    @property
    def surfaces(self) -> frozenset[str]:
        """The surfaces that are asked: those of the target, or of the profile alone."""
        claimed, only = self.client.surfaces, self.profile.surface
        return claimed if only is None else claimed & {only}

    @property
    def is_narrowed(self) -> bool:
        """Whether less than the whole profile is asked, on fewer machines, or by other golden snapshots."""
        return self.selection.narrows or self.snapshots.of_target or not self.machines.is_whole or self.same_process


_DOORS = {"numa_device_plugin": "device-plugin", "numa_dra_driver": "dra", "numa_nri_plugin": "nri"}
"""The options that name an unmodified daemon, and the commands that serve one."""
RUN = pytest.StashKey[Run]()
"""Where pytest's configuration keeps the run."""
DESCRIBED = "numa_described"
"""What a worker of xdist is told of: how the target described itself before."""


def open_connection(config: pytest.Config, level: Level, version: KubernetesVersion) -> Connection:
    """Open a way to the target that the options name; the bundled reference where they name none."""
    named = [f"--numa-{name.replace('_', '-')}" for name in NAMING if setting(config, f"numa_{name}")]
    if len(named) > 1 and named != ["--numa-kubelet", "--numa-nri-plugin"]:
        raise pytest.UsageError(f"{' and '.join(named)} exclude each other")
    if setting(config, "numa_binaries") and named != ["--numa-dra-driver"]:
        raise pytest.UsageError("--numa-binaries has no effect without --numa-dra-driver")
    if setting(config, "numa_unsupported") and not any(setting(config, door) for door in _DOORS):
        raise pytest.UsageError("--numa-unsupported has no effect without an unmodified plugin or driver")
    if level == "exact" and setting(config, "numa_kubelet"):
        raise pytest.UsageError(
            "--numa-level exact compares with decisions of the kubelet's managers alone; a whole kubelet also adds up "
            "requests and reports no hints. Compare it by: numa-conformance diff reference:exact kubelet:PATH"
        )
    factory, command = setting(config, "numa_target"), _command(config)
    timeout = _timeout(config)
    if command:
        return Stdio(command, timeout)
    if factory:
        same = is_set(config, "numa_same_process")
        return InProcess(load_factory(factory), factory) if same else InChild(factory, timeout)
    return InProcess(functools.partial(ReferenceTarget, level, version), "the bundled reference")


def _timeout(config: pytest.Config) -> float:
    starts_something = setting(config, "numa_kubelet") or any(setting(config, door) for door in _DOORS)
    try:
        timeout = float(setting(config, "numa_timeout") or (LONGER_TIMEOUT if starts_something else TIMEOUT))
    except ValueError as error:
        raise pytest.UsageError(f"--numa-timeout: {error}; accepted are seconds") from error
    if not 0 < timeout < math.inf:
        raise pytest.UsageError("--numa-timeout must be more than 0 seconds")
    return timeout


def _side_by_side(config: pytest.Config, budget: Budget) -> tuple[int, int]:
    """Return how many of the target threads ask side by side, and how many processes do.

    Threads ask those that wait much as they start, or within a budget; processes ask others, where CPUs are idle.
    """
    count = setting(config, "numa_at_once")
    if count and (not count.isdecimal() or not 1 <= int(count) <= MOST_AT_ONCE):
        raise pytest.UsageError(f"--numa-at-once: {count!r} is no number of targets; accepted are 1 to {MOST_AT_ONCE}")
    waiting = [number for name, number in AT_ONCE.items() if setting(config, name)]
    if waiting or not budget.is_whole or any(setting(config, name) for name in _DOORS):
        return int(count) if count else waiting[0] * (os.cpu_count() or 1) if waiting else 1, 1
    return 1, 1 if hasattr(config, "workerinput") else int(count) if count else idle_cpus()


def _command(config: pytest.Config) -> str:
    kubelet = setting(config, "numa_kubelet")
    for option, door in _DOORS.items():
        if daemon := setting(config, option):
            options = {"kubelet": kubelet, "binaries": setting(config, "numa_binaries"),
                      "unsupported": setting(config, "numa_unsupported")}  # fmt: skip
            words = [word for name, value in options.items() if value for word in (f"--{name}", value)]
            return serving(door, daemon, *words)
    return serving_kubelet(kubelet) if kubelet else setting(config, "numa_target_command")


def _keeps_histories(config: pytest.Config) -> bool:
    keeps = is_set(config, "numa_histories")
    if keeps and not setting(config, "numa_report"):
        raise pytest.UsageError("--numa-histories needs a folder to keep them in: --numa-report FOLDER")
    return keeps


def _replay_options(config: pytest.Config) -> str:
    named = {"target": setting(config, "numa_target"), "target-command": _command(config)}
    return "".join(f" --{option} {shlex.quote(value)}" for option, value in named.items() if value)
