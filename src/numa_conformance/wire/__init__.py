"""The contract an implementation under test meets: messages, ways to reach it, conversations as data."""

from ..lazy_names import lazy_names
from .serve import serve as serve  # named as its module is, and therefore imported at once

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "wire.connection": "Client Connection",
        "wire.faults": "BadReply Crashed Exchange NotClaimed TargetFault TimedOut Unsupported",
        "wire.features": "FEATURES",
        "wire.in_child": "InChild",
        "wire.in_process": "InProcess load_factory",
        "wire.messages": "METHODS SURFACES",
        "wire.messages.describe": "PROTOCOL",
        "wire.stdio": "Stdio",
    },
)
