"""The contract an implementation under test meets: messages, ways to reach it, the reference as a target."""

from .connection import Client, Connection
from .faults import BadReply, Crashed, Exchange, NotClaimed, TargetFault, TimedOut
from .features import FEATURES, PROTOCOL, SURFACES
from .in_process import InProcess, load_factory
from .reference import Level, ReferenceTarget
from .serve import serve
from .stdio import Stdio

__all__ = [
    "FEATURES",
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
    "load_factory",
    "serve",
]
