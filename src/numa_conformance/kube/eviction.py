"""Eviction thresholds of a configuration: which signals a version knows, and what their texts mean."""

import re
import struct
from collections.abc import Iterator

from ..errors import Fault, UsageError, closest
from ..fields import object_at
from ..sources.versions import KubernetesVersion
from .kubelet_config import KubeletConfiguration
from .quantity import DURATIONS, Quantity, is_duration

_FLOAT = re.compile(r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE)
_AVAILABLE = ("memory.available", "nodefs.available", "imagefs.available", "allocatableMemory.available")
_SIGNALS = (*_AVAILABLE, "nodefs.inodesFree", "imagefs.inodesFree", "pid.available")
_OF_CONTAINERS = ("containerfs.available", "containerfs.inodesFree")
NO_THRESHOLD = ("0%", "100%")
"""Thresholds that a kubelet passes over."""
_AMOUNT = "an amount such as 100Mi, or a percentage such as 5%"


def share(text: str) -> float:
    """Read a percentage as the kubelet does, with 32 bits: ``10%`` is about 0.1. Raises ``UsageError``."""
    number = text.rstrip("%")
    if not _FLOAT.fullmatch(number):
        raise UsageError(Fault("", f'strconv.ParseFloat: parsing "{number}": invalid syntax', _AMOUNT))
    return _single_precision(_single_precision(float(number)) / 100)


def _single_precision(number: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def threshold_faults(config: KubeletConfiguration, version: KubernetesVersion) -> Iterator[Fault]:
    """Yield what a kubelet refuses in thresholds of eviction, their grace periods and what is to be reclaimed."""
    obj = config.to_dict()
    known = _SIGNALS if version < KubernetesVersion(1, 29) else (*_SIGNALS, *_OF_CONTAINERS)
    readers = {"evictionHard": _threshold, "evictionSoft": _threshold, "evictionSoftGracePeriod": _grace_period}
    readers["evictionMinimumReclaim"] = _reclaimed
    for field, read in readers.items():
        for signal, text in object_at(obj, field).items():
            if signal not in known:
                message, near = f"unsupported eviction signal {signal}", closest(signal, known)
                yield Fault(f"{field}.{signal}", message, ", ".join(known), near)
                continue
            try:
                message = read(signal, "" if text is None else str(text))
            except UsageError as error:
                message = error.faults[0].message
            if message:
                yield Fault(f"{field}.{signal}", message, DURATIONS if read is _grace_period else _AMOUNT)
    for signal, text in object_at(obj, "evictionSoft").items():
        if signal not in object_at(obj, "evictionSoftGracePeriod") and text not in NO_THRESHOLD:
            message = f"grace period must be specified for the soft eviction threshold {signal}"
            yield Fault(f"evictionSoftGracePeriod.{signal}", message, DURATIONS)


def _threshold(signal: str, text: str) -> str:
    if text.endswith("%"):
        part = 0.0 if text in NO_THRESHOLD else share(text)
        if part < 0 or part > 1:
            return f"eviction percentage threshold {signal} must be {'>= 0%' if part < 0 else '<= 100%'}: {text}"
    elif Quantity.parse(text).as_number <= 0:
        return f"eviction threshold {signal} must be positive: {text}"
    return ""


def _grace_period(_signal: str, text: str) -> str:
    if not is_duration(text):
        return f'time: invalid duration "{text}"'
    negative = text.startswith("-") and any(digit in text for digit in "123456789")
    return f"invalid eviction grace period specified: {text}, must be a positive value" if negative else ""


def _reclaimed(signal: str, text: str) -> str:
    if text.endswith("%"):
        return "" if share(text) > 0 else f"eviction percentage minimum reclaim {signal} must be positive: {text}"
    return f"negative eviction minimum reclaim specified for {signal}" if Quantity.parse(text).as_number < 0 else ""
