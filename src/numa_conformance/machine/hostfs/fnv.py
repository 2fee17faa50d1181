"""The checksum of the kubelet's state files: FNV-1a, 32 bit, over a typed dump of the record (CPU-CKPT-04)."""

import re
from functools import lru_cache

_PRIME = 0x01000193
_MASK = 0xFFFFFFFF
_WORD = re.compile(rb"[^ ,]{0,63}[ ,]?")
"""Also a part of a word, so that little is kept of a long one."""


def fnv1a_32(text: str) -> int:
    """Return the checksum of the UTF-8 bytes of a text.

    A byte is mixed with the lowest byte of the value alone; what is above it is only multiplied. So what a word does is
    known by the lowest byte before it, and dumps repeat their words.
    """
    value = 0x811C9DC5
    for word in _WORD.findall(text.encode("utf-8", "surrogateescape")):
        low = value & 0xFF
        after, factor = _mixed(word, low)
        value = after + (value - low) * factor & _MASK
    return value


@lru_cache(maxsize=1 << 13)
def _mixed(word: bytes, low: int) -> tuple[int, int]:
    """Return what becomes of a value of one byte, and what a word multiplies the rest by."""
    value = low
    for byte in word:
        value = (value ^ byte) * _PRIME & _MASK
    return value, pow(_PRIME, len(word), _MASK + 1)
