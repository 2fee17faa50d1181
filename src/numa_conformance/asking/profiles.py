"""The machines of a run: the named ones, or all except some."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ..errors import Fault, UsageError, closest, faults_within
from ..machine import Machine, load_machine
from ..sources.gates import GATES
from ..sources.options import CHOOSING, STATIC_OPTIONS, TOPOLOGY_OPTIONS
from ..sources.versions import SUPPORTED_RANGE, KubernetesVersion
from ..wire.features import KNOWN, PROMISES


@dataclass(frozen=True, slots=True)
class MachineChoice:
    """The machines that are ``named``, by the words that name them, and the names of those ``left_out``.

    Where none is named, all are chosen but those left out.
    """

    named: Mapping[str, Machine] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, words: Iterable[str], option: str = "--numa-machine") -> "MachineChoice":
        """Read names and files, each with a ``-`` before it where it is left out; raises ``UsageError``."""
        texts = list(words)
        without = frozenset(load_machine(word[1:]).name for word in texts if _leaves_out(word))
        wanted = {word: load_machine(word) for word in texts if not _leaves_out(word)}
        named = {word: machine for word, machine in wanted.items() if machine.name not in without}
        if wanted and not named:
            raise UsageError(Fault(option, f"{', '.join(wanted)}: named, and left out too"))
        return cls(named, without)

    @property
    def is_whole(self) -> bool:
        """Whether every machine is chosen."""
        return not (self.named or self.left_out)

    @property
    def machines(self) -> tuple[Machine, ...] | None:
        """The machines that are named; None where none is."""
        return tuple(self.named.values()) or None

    def has(self, machine: Machine) -> bool:
        """Tell whether a machine is chosen, as it is or changed: renumbered, with more devices, a part of it."""
        if any(_is_made_of(machine.name, name) for name in self.left_out):
            return False
        return not self.named or any(_is_made_of(machine.name, each.name) for each in self.named.values())


def _leaves_out(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _is_made_of(name: str, origin: str) -> bool:
    return name == origin or name.startswith((f"{origin},", f"{origin} with ")) or name.endswith(f" of {origin}")


def _below(*prefixes: str) -> frozenset[str]:
    return frozenset(name for name in KNOWN if name.startswith(prefixes))


_CPU = frozenset({"cpu-manager/none", "cpu-manager/static", "cpu-manager/init-containers", "node/qos"})
_TOPOLOGY = _below("topology-manager/") | {"cpu-manager/hints"}
_FILES = frozenset(name for name in KNOWN if name.endswith("/state-file"))
_PICKED = frozenset(f"cpu-manager/{option}" for option in CHOOSING) | {
    "topology-manager/best-effort",
    "topology-manager/restricted",
}
"""Of a choice of CPUs: the options, and whether it keeps to the affinity of a question."""

_WHOLE, _SERVED_WHOLE = frozenset({"node/pod-level-resources"}), frozenset({"cpu-manager/pod-level-resources"})
_GATED = {"PodLevelResources": _WHOLE, "PodLevelResourceManagers": _SERVED_WHOLE}
"""A gate to the features that are asked where it is more than alpha."""
FEATURE_SETS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "all": frozenset(KNOWN),
        "node": _below("cpu-manager/", "memory-manager/", "device-manager/", "topology-manager/", "node/", "pinning/"),
        "cpu": _CPU,
        "cpu-options": _CPU
        | _below("cpu-manager/")
        - _FILES
        - {"cpu-manager/hints", "cpu-manager/reconcile", "cpu-manager/cfs-quota"}
        - _SERVED_WHOLE,
        "topology": _CPU | _TOPOLOGY,
        "memory": _CPU | _TOPOLOGY | _below("memory-manager/") - _FILES,
        "device": _CPU | _TOPOLOGY | _below("device-manager/") - _FILES,
        "host": _below("host/") | {"node/restart"},
        "scheduler": _below("scheduler/") | _WHOLE,
        "pick": frozenset({"cpu-manager/static"}) | _PICKED,
        "score": _below("scheduler/") | _WHOLE,
        "plugin": _below("device-plugin/"),
        "claims": _below("claims/"),
    }
)
"""The name of a set to its features. Names are permanent; a set may grow with the suite."""

OF_ONE_SURFACE = frozenset({"pick", "score", "plugin", "claims"})
"""The profiles that ask what shows on the surface of their name, and nothing else."""

OPTIONAL: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "all": _SERVED_WHOLE.union(PROMISES),
        "node": _SERVED_WHOLE.union(PROMISES),
        "host": frozenset({"node/restart"}),
        "pick": _PICKED,
        "scheduler": _WHOLE,
        "score": _below("scheduler/") | _WHOLE,
        "plugin": frozenset({"device-plugin/preferred-allocation", "device-plugin/restart"}),
        "claims": _below("claims/") - {"claims/cpus"},
    }
)
"""The name of a profile to the features of it that one need not have to conform to it."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of features at a Kubernetes version."""

    name: str
    version: KubernetesVersion

    @classmethod
    def parse(cls, text: str, version: str | KubernetesVersion, surfaces: Collection[str] = ()) -> "Profile":
        """Read ``NAME``, ``NAME@VERSION`` or ``@VERSION``.

        What is left out is the target's: its ``version``, and the profile of its surface where its ``surfaces`` are one
        that has a profile; else ``all``. Raises ``UsageError``.
        """
        name, _, options = text.partition("@")
        name = name or next(iter(OF_ONE_SURFACE.intersection(surfaces) if len(surfaces) == 1 else ()), "all")
        if name not in FEATURE_SETS:
            accepted = f"{', '.join(FEATURE_SETS)}; @ and a Kubernetes version may follow"
            raise UsageError(
                Fault("--numa-profile", f"there is no profile {name!r}", accepted, closest(name, FEATURE_SETS))
            )
        if not options and KubernetesVersion.known(version) is None:
            message = f"the target follows {str(version)!r}, no Kubernetes version whose behaviour is known"
            raise UsageError(Fault("--numa-profile", message, f"{name}@VERSION, {SUPPORTED_RANGE}"))
        with faults_within("--numa-profile"):
            return cls(name, KubernetesVersion.supported(options or version))

    @property
    def features(self) -> frozenset[str]:
        """The features that the profile asks for."""
        return FEATURE_SETS[self.name]

    @property
    def offered(self) -> frozenset[str]:
        """Its features without those of options that the version does not have, or shows only behind a gate."""
        gates = ((GATES[name].history.at(self.version), features) for name, features in _GATED.items())
        hidden = {name for gate, features in gates if gate is None or gate.stage == "alpha" for name in features}
        for option in STATIC_OPTIONS.values():
            if option.maturity.at(self.version) is None:
                hidden.add(f"cpu-manager/{option.name}")
        for option in TOPOLOGY_OPTIONS.values():
            if option.maturity.at(self.version) in (None, "alpha"):
                hidden.add(f"topology-manager/{option.name}")
        return self.features - hidden

    @property
    def surface(self) -> str | None:
        """The surface that alone is asked; None for all."""
        return self.name if self.name in OF_ONE_SURFACE else None

    @property
    def optional(self) -> frozenset[str]:
        """Its features that are asked where they are claimed, and not missed where they are not."""
        return OPTIONAL.get(self.name, frozenset())

    def asks(self, features: Iterable[str]) -> bool:
        """Tell whether a case that needs these features belongs to the profile."""
        return self.features.issuperset(features)

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"
