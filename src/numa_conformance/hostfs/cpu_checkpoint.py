"""``cpu_manager_state``: the CPU Manager's state file (CPU-CKPT-01..09)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..cpuset import CpuSet
from ..errors import CpuSetSyntaxError
from .checkpoint_error import CheckpointError
from .fnv import fnv1a_32
from .go_json import GoJsonError, Pairs, dump, fields, load, string_map, type_error

__all__ = ["CPU_FILE", "CpuCheckpoint", "decode_cpu_checkpoint", "encode_cpu_checkpoint"]

CPU_FILE = "cpu_manager_state"
_KNOWN = {
    "policyname": "policyName",
    "defaultcpuset": "defaultCpuSet",
    "entries": "entries",
    "checksum": "checksum",
}
_OWNER = "CPUManagerCheckpoint"
_CORRUPTED = "checkpoint is corrupted"


@dataclass(frozen=True)
class CpuCheckpoint:
    """The content: sets are bits. ``entries``: pod uid to container to set."""

    policy: str
    default: int = 0
    entries: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def encode_cpu_checkpoint(content: CpuCheckpoint) -> str:
    """Return the file's text, byte for byte as the kubelet writes it."""
    default = str(CpuSet.from_bits(content.default))
    entries = {
        uid: {name: str(CpuSet.from_bits(bits)) for name, bits in sorted(containers.items())}
        for uid, containers in sorted(content.entries.items())
    }
    record: dict[str, Any] = {"policyName": content.policy, "defaultCpuSet": default}
    if entries:
        record["entries"] = entries
    record["checksum"] = _checksum_v2(content.policy, default, entries)
    return dump(record)


def decode_cpu_checkpoint(text: str, policy: str, containers: Mapping[str, tuple[str, str]]) -> CpuCheckpoint:
    """Read a file for a node with this policy.

    ``containers`` are those that run: container id to (pod uid, name), to migrate files of format v1. Raises
    ``CheckpointError``, the first cause in the kubelet's order.
    """
    record = _decode(text, containers)
    if record.policy != policy:
        raise CheckpointError(f'configured policy "{policy}" differs from state checkpoint policy "{record.policy}"')
    default = _parse(record.default, f'could not parse default cpu set "{record.default}"')
    entries: dict[str, dict[str, int]] = {}
    for uid, sets in record.entries.items():
        for name, written in sets.items():
            wording = f'could not parse cpuset "{written}" for container "{name}" in pod "{uid}"'
            entries.setdefault(uid, {})[name] = _parse(written, wording)
    return CpuCheckpoint(record.policy, default, entries)


@dataclass
class _Record:
    """The file as written."""

    policy: str = ""
    default: str = ""
    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    checksum: int = 0


def _decode(text: str, containers: Mapping[str, tuple[str, str]]) -> _Record:
    old = _decode_v1(text)
    if old is not None:
        return _migrated(*old, containers)
    try:
        record = _read_v2(text)
    except GoJsonError as error:
        raise CheckpointError(str(error)) from error
    if record.checksum and record.checksum != _checksum_v2(record.policy, record.default, record.entries):
        raise CheckpointError(_CORRUPTED)
    return record


def _decode_v1(text: str) -> tuple[_Record, dict[str, str]] | None:
    """Read format v1, whose entries map container ids to sets; None when the file is not of it or does not check."""
    record, flat = _Record(), dict[str, str]()
    try:
        for name, value in fields(load(text), _KNOWN, _OWNER):
            if name == "entries":
                flat = string_map(value, f"{_OWNER}.{name}")
            else:
                _scalar(record, name, value)
    except GoJsonError:
        return None
    if record.checksum and record.checksum != _checksum(record.policy, record.default, "string", _flat(flat)):
        return None
    return record, flat


def _migrated(record: _Record, flat: dict[str, str], containers: Mapping[str, tuple[str, str]]) -> _Record:
    for container_id, written in flat.items():
        found = containers.get(container_id)
        if found is None:
            raise CheckpointError(
                "error migrating v1 checkpoint state to v2 checkpoint state: "
                f"containerID '{container_id}' not found in initial containers list"
            )
        record.entries.setdefault(found[0], {})[found[1]] = written
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
