"""The Memory Manager's state file as compared: a container's blocks in an order, where the kubelet's is chance."""

from __future__ import annotations

import re

_BLOCK = r'\{\\?"numaAffinity\\?":[^{}]*\}'
"""As the file holds it, or the text in its envelope."""
_SEVERAL = re.compile(rf"{_BLOCK}(?:,{_BLOCK})+")
_CHECKSUM = re.compile(r'("checksum"|"dataChecksum"):[0-9]+')


def comparable_memory_file(text: str) -> str:
    """Return the file with the blocks of each container in order; where some has several, without its checksums.

    The kubelet goes through a Go map of what a container asks for, so its blocks, and the checksums over them, are
    chance. Of any other file every byte counts.
    """
    in_order, several = _SEVERAL.subn(lambda found: ",".join(sorted(re.findall(_BLOCK, found[0]))), text)
    return _CHECKSUM.sub(r"\1:", in_order) if several else text
