"""Why a state file cannot be used."""

from __future__ import annotations

__all__ = ["CheckpointError", "restore_failure"]


class CheckpointError(Exception):
    """The cause, in the kubelet's words; ``restore_failure`` makes the message of it."""

    def __init__(self, cause: str) -> None:
        """Take the cause."""
        self.cause = cause
        super().__init__(cause)


def restore_failure(cause: str, manager: str, path: str) -> str:
    """Return the message with which the kubelet exits; ``manager`` is ``CPU`` or ``memory`` (CPU-CKPT-09)."""
    return (
        f"could not restore state from checkpoint: {cause}, please drain this node and delete the {manager} manager "
        f'checkpoint file "{path}" before restarting Kubelet'
    )
