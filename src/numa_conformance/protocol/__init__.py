"""The contract an implementation under test meets: messages, ways to reach it, the reference as a target."""

from .connection import Client, Connection
from .faults import BadReply, Crashed, Exchange, NotClaimed, TargetFault, TimedOut, Unsupported
from .features import FEATURES
from .in_process import InProcess, load_factory
from .messages import METHODS, SURFACES
from .messages.describe import PROTOCOL
from .reference import Level, ReferenceTarget
from .serve import serve
from .stdio import Stdio

__all__ = [
    "FEATURES",
    "METHODS",
    "PROTOCOL",
    "SURFACES",
    "BadReply",
    "Client",
    "Connection",
    "Crashed",
    "Exchange",
    "InProcess",
    "Level",
    "NotClaimed",
    "ReferenceTarget",
    "Stdio",
    "TargetFault",
    "TimedOut",
    "Unsupported",
    "load_factory",
    "serve",
]
