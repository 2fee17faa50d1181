"""The checksum of the kubelet's state files: FNV-1a, 32 bit, over a typed dump of the record (CPU-CKPT-04)."""

from __future__ import annotations


def fnv1a_32(text: str) -> int:
    """Return the checksum of the UTF-8 bytes of a text."""
    value = 0x811C9DC5
    for byte in text.encode("utf-8", "surrogateescape"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value
