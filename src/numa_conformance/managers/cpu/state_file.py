"""``cpu_manager_state``: the CPU Manager's state file (CPU-CKPT-01..09)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...cpuset import CpuSet, format_bits
from ...errors import CpuSetSyntaxError
from ...hostfs.fnv import fnv1a_32
from ...hostfs.go_json import GoJsonError, Pairs, dump, fields, load, string_map, type_error
from ..state_file import CheckpointError
from .state import CpuState

__all__ = ["CPU_FILE", "CpuStateFile", "decode", "encode"]

CPU_FILE = "cpu_manager_state"
_KNOWN = {
    "policyname": "policyName",
    "defaultcpuset": "defaultCpuSet",
    "entries": "entries",
    "checksum": "checksum",
}
_OWNER = "CPUManagerCheckpoint"
_CORRUPTED = "checkpoint is corrupted"


class _Manager(Protocol):
    """What the file needs of a CPU Manager."""

    state: CpuState

    @property
    def policy(self) -> str: ...

    def restore(self, state: CpuState) -> None: ...


class CpuStateFile:
    """The file of one CPU Manager."""

    name = CPU_FILE
    lags = False

    def __init__(self, manager: _Manager) -> None:
        """Take the manager whose state the file holds."""
        self._manager = manager

    def text(self) -> str:
        """Return the file's content for the manager as it is."""
        return encode(self._manager.policy, self._manager.state)

    def restore(self, text: str | None, where: str) -> bool:
        """Take over a file's content; tell whether it is to be written anew. Raises ``StartError`` (CPU-CKPT-07)."""
        stored = CpuState()
        if text is not None:
            try:
                stored = decode(text, self._manager.policy)
            except CheckpointError as error:
                raise error.start_error("CPU", where) from error
        self._manager.restore(stored)
        return text is None or self._manager.state.default != stored.default


def encode(policy: str, state: CpuState) -> str:
    """Return the file's text, byte for byte as the kubelet writes it."""
    default = format_bits(state.default)
    entries = {
        uid: {name: format_bits(cpus) for name, cpus in sorted(containers.items())}
        for uid, containers in sorted(state.assignments.items())
    }
    record: dict[str, Any] = {"policyName": policy, "defaultCpuSet": default}
    if entries:
        record["entries"] = entries
    record["checksum"] = _checksum_v2(policy, default, entries)
    return dump(record)


def decode(text: str, policy: str) -> CpuState:
    """Read a file for a node with this policy; raises ``CheckpointError``, the first cause in the kubelet's order."""
    record = _decode(text)
    if record.policy != policy:
        raise CheckpointError(f'configured policy "{policy}" differs from state checkpoint policy "{record.policy}"')
    state = CpuState(_parse(record.default, f'could not parse default cpu set "{record.default}"'))
    for uid, sets in record.entries.items():
        for name, written in sets.items():
            wording = f'could not parse cpuset "{written}" for container "{name}" in pod "{uid}"'
            state.assignments.setdefault(uid, {})[name] = _parse(written, wording)
    return state


@dataclass
class _Record:
    """The file as written."""

    policy: str = ""
    default: str = ""
    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    checksum: int = 0


def _decode(text: str) -> _Record:
    old = _decode_v1(text)
    if old is not None:
        return old
    try:
        record = _read_v2(text)
    except GoJsonError as error:
        raise CheckpointError(str(error)) from error
    if record.checksum and record.checksum != _checksum_v2(record.policy, record.default, record.entries):
        raise CheckpointError(_CORRUPTED)
    return record


def _decode_v1(text: str) -> _Record | None:
    """Read format v1, whose entries map container ids to sets; None when the file is not of it or does not check.

    The kubelet looks container ids up in its runtime. A node here has no runtime, so no id is known (CPU-CKPT-08).
    """
    record, by_container_id = _Record(), dict[str, str]()
    try:
        for name, value in fields(load(text), _KNOWN, _OWNER):
            if name == "entries":
                by_container_id = string_map(value, f"{_OWNER}.{name}")
            else:
                _scalar(record, name, value)
    except GoJsonError:
        return None
    checksum = _checksum(record.policy, record.default, "string", _flat(by_container_id))
    if record.checksum and record.checksum != checksum:
        return None
    for container_id in by_container_id:
        raise CheckpointError(
            "error migrating v1 checkpoint state to v2 checkpoint state: "
            f"containerID '{container_id}' not found in initial containers list"
        )
    return record


def _read_v2(text: str) -> _Record:
    """Read format v2; the first member of a wrong type is what is reported."""
    record = _Record()
    first_error: GoJsonError | None = None
    for name, value in fields(load(text), _KNOWN, _OWNER):
        try:
            if name == "entries":
                record.entries = _nested(value)
            else:
                _scalar(record, name, value)
        except GoJsonError as error:
            first_error = first_error or error
    if first_error:
        raise first_error
    return record


def _nested(value: Any) -> dict[str, dict[str, str]]:
    where = f"{_OWNER}.entries"
    if not isinstance(value, Pairs):
        raise type_error(value, where, "map[string]map[string]string")
    return {uid: string_map(Pairs() if sets is None else sets, where) for uid, sets in value}


def _scalar(record: _Record, name: str, value: Any) -> None:
    if name == "checksum":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**64:
            raise type_error(value, f"{_OWNER}.{name}", "checksum.Checksum")
        record.checksum = value
        return
    if not isinstance(value, str):
        raise type_error(value, f"{_OWNER}.{name}", "string")
    if name == "policyName":
        record.policy = value
    else:
        record.default = value


def _checksum_v2(policy: str, default: str, entries: Mapping[str, Mapping[str, str]]) -> int:
    pods = " ".join(f"{uid}:map[{_flat(sets)}]" for uid, sets in sorted(entries.items()))
    return _checksum(policy, default, "map[string]string", pods)


def _flat(sets: Mapping[str, str]) -> str:
    return " ".join(f"{name}:{written}" for name, written in sorted(sets.items()))


def _checksum(policy: str, default: str, value_type: str, entries: str) -> int:
    return fnv1a_32(
        f"(*state.{_OWNER}){{PolicyName:(string){policy} DefaultCPUSet:(string){default} "
        f"Entries:(map[string]{value_type})map[{entries}] Checksum:(checksum.Checksum)0}}"
    )


def _parse(text: str, wording: str) -> int:
    try:
        return CpuSet.parse(text).bits
    except CpuSetSyntaxError as error:
        raise CheckpointError(f"{wording}: {error.detail or error.kubelet_wording}") from error
