"""The feature gates of one node, and the maturity of options, at its Kubernetes version."""

from collections.abc import Mapping
from functools import lru_cache

from ..errors import Fault, StartError, closest
from ..sources.changes import Changes
from ..sources.gates import GATES_NEED_OTHERS, GateState, all_gates
from ..sources.options import POLICY_OPTIONS, Maturity
from ..sources.versions import DEFAULT, KubernetesVersion

_GROUPS = {"AllAlpha": "alpha", "AllBeta": "beta"}


def option_maturity(option: str, version: str | KubernetesVersion) -> Maturity | None:
    """Return how mature a policy option is in a version; None where it is missing."""
    known = POLICY_OPTIONS.get(option)
    return known.maturity.at(KubernetesVersion.supported(version)) if known else None


class FeatureGates:
    """The feature gates of one node, and the changes that its version has behind it."""

    def __init__(self, version: KubernetesVersion, enabled: Mapping[str, bool], changes: Changes) -> None:
        """Take the version and the state of every gate; ``build`` is how callers make one."""
        self.version = version
        self.changes = changes
        self._enabled = enabled

    @classmethod
    def build(
        cls,
        version: str | KubernetesVersion = DEFAULT,
        overrides: Mapping[str, bool] | None = None,
        changes: Changes | None = None,
    ) -> "FeatureGates":
        """Apply a configuration's overrides to the defaults of a version; ``changes`` are those of the version.

        Raises ``UsageError`` for a version that is not known and ``StartError`` for gates that the kubelet refuses.
        """
        return _gates(KubernetesVersion.supported(version), tuple((overrides or {}).items()), changes)

    def enabled(self, name: str) -> bool:
        """Tell whether a gate is on; one the version does not have yet is off, one it no longer has is on."""
        return self._enabled.get(name, False)

    def maturity(self, option: str) -> Maturity | None:
        """Return how mature a policy option is in this node's version."""
        return option_maturity(option, self.version)


@lru_cache(maxsize=256)
def _gates(
    version: KubernetesVersion, overrides: tuple[tuple[str, bool], ...], changes: Changes | None
) -> FeatureGates:
    """Return the gates of a version under the overrides; they are never changed."""
    wanted = dict(overrides)
    faults = [fault.message for fault in gate_faults(version, wanted)]
    groups = {_GROUPS[name]: on for name, on in wanted.items() if name in _GROUPS}
    states = _states(version)
    known = {name: groups.get(state.stage, state.on) for name, state in states.items()} if groups else _on(version)
    if wanted and not faults and version >= GATES_NEED_OTHERS:
        enabled = {**known, **wanted}
        on = ((name, gate.needs) for name, gate in all_gates().items() if gate.needs and enabled.get(name))
        lacking = ((name, [need for need in needs if not enabled.get(need, False)]) for name, needs in on)
        text = "{} is enabled, but depends on features that are disabled: [{}]"
        faults = [text.format(name, " ".join(off)) for name, off in sorted(lacking) if off]
    if faults:
        raise StartError("kubelet", faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]")
    return FeatureGates(version, {**known, **wanted} if wanted else known, changes or Changes.of(version))


def gate_faults(version: str | KubernetesVersion, overrides: Mapping[str, bool]) -> list[Fault]:
    """Return what the kubelet of a version refuses in ``featureGates``, in its words."""
    states = _states(KubernetesVersion.supported(version))
    faults = []
    for name, on in overrides.items():
        place, state = f"featureGates.{name}", states.get(name)
        if name in _GROUPS:
            continue
        if state is None or state.stage == "gone":
            near = closest(name, [known for known, state in states.items() if state.stage != "gone"])
            faults.append(Fault(place, f"unrecognized feature gate: {name}", suggestion=near))
        elif state.locked and on != state.on:
            wanted, locked = str(on).lower(), str(state.on).lower()
            faults.append(Fault(place, f"cannot set feature gate {name} to {wanted}, feature is locked to {locked}"))
    return faults


@lru_cache
def _states(version: KubernetesVersion) -> Mapping[str, GateState]:
    """Return what has become of every gate; gates that do not exist yet are left out."""
    reached = {name: gate.history.at(version) for name, gate in all_gates().items()}
    return {name: state for name, state in reached.items() if state is not None}


@lru_cache
def _on(version: KubernetesVersion) -> Mapping[str, bool]:
    """Return whether each gate is on by default."""
    return {name: state.on for name, state in _states(version).items()}
