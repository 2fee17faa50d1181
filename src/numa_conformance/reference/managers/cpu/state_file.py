"""``cpu_manager_state``: the text of the CPU Manager's state file (CPU-CKPT-01..09, 17)."""

from typing import Any

from ....cpuset import CpuSet, format_bits
from ....errors import CpuSetSyntaxError
from ....machine.hostfs.go_json import dump
from ..state_file import PLAIN, CheckpointError, FileStyle
from ..state_formats import text_checksum
from .cpu_state import CpuState
from .state_formats import FORMATS, V1, V2, V3, CpuFormat, CpuRecord

CPU_FILE = "cpu_manager_state"


def encode(policy: str, state: CpuState, style: FileStyle = PLAIN) -> str:
    """Return the file's text, byte for byte as the kubelet writes it."""
    record = CpuRecord(
        policy=policy,
        default=format_bits(state.default),
        entries={
            uid: {name: format_bits(cpus) for name, cpus in sorted(containers.items())}
            for uid, containers in sorted(state.assignments.items())
        },
        pods={uid: format_bits(cpus) for uid, cpus in sorted(state.pods.items())} if style.pods else {},
    )
    old: dict[str, Any] = {"policyName": record.policy, "defaultCpuSet": record.default}
    if record.entries:
        old["entries"] = record.entries
    pods = {"podEntries": {uid: {"cpuSet": cpus} if cpus else {} for uid, cpus in record.pods.items()}}
    if not record.pods:
        pods = {}
    if style.envelope:
        data = dump({**old, **pods, **(_baselines(record) if style.baselines else {})})
        return dump({**old, "checksum": V2.checksum(record), "data": data, "dataChecksum": text_checksum(data)})
    return dump({**old, **pods, "checksum": (V3 if style.pods else V2).checksum(record)})


def _baselines(record: CpuRecord) -> dict[str, Any]:
    """Return what containers were admitted with, which is what they have: no resize changes it."""
    if not record.entries:
        return {}
    return {
        "baselines": {
            uid: {name: {"baseline": cpus} for name, cpus in sets.items()} for uid, sets in record.entries.items()
        }
    }


def decode(text: str, policy: str, style: FileStyle = PLAIN) -> CpuState:
    """Read a file for a node with this policy; raises ``CheckpointError``, the first cause in the kubelet's order."""
    if style.newest_first:
        record = FORMATS.newest_first(text, style, lambda: _without_pods(text, style))
    else:
        record = _oldest_first(text)
    if record.policy != policy:
        raise CheckpointError(f'configured policy "{policy}" differs from state checkpoint policy "{record.policy}"')
    cpu = "CPU" if style.envelope else "cpu"
    state = CpuState(_parse(record.default, f'could not parse default {cpu} set "{record.default}"'))
    for uid, sets in record.entries.items():
        for name, written in sets.items():
            wording = f'could not parse cpuset "{written}" for container "{name}" in pod "{uid}"'
            state.assignments.setdefault(uid, {})[name] = _parse(written, wording)
    if style.pods:
        state.pods = {uid: CpuSet.parse(written).bits for uid, written in record.pods.items()}
    return state


def _oldest_first(text: str) -> CpuRecord:
    """Read format v1, or else v2, of which a fault is told."""
    old, fault = V1.read(text)
    if fault is None and old.checksum in (0, V1.checksum(old)):
        return _migrated(old, "error migrating v1 checkpoint state to v2 checkpoint state")
    return CpuFormat("CPUManagerCheckpoint", V2.members).checked(text, may_be_unchecked=True)


def _without_pods(text: str, style: FileStyle) -> CpuRecord:
    """Read format v2, or else v1 where that is still read; a checksum of 0 is not looked at (CPU-CKPT-04)."""
    try:
        return V2.checked(text, may_be_unchecked=True)
    except CheckpointError:
        if style.envelope:
            raise
        return _migrated(V1.checked(text, may_be_unchecked=True), "failed to migrate checkpoint from v1 to v2")


def _migrated(old: CpuRecord, failure: str) -> CpuRecord:
    """Return a record of format v1 as one of v2.

    The kubelet looks container ids up in its runtime. A node here has no runtime, so no id is known (CPU-CKPT-08).
    """
    for container_id in old.flat:
        raise CheckpointError(f"{failure}: containerID '{container_id}' not found in initial containers list")
    return old


def _parse(text: str, wording: str) -> int:
    try:
        return CpuSet.parse(text).bits
    except CpuSetSyntaxError as error:
        raise CheckpointError(f"{wording}: {error.detail or error.kubelet_wording}") from error
