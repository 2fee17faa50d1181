from .connection import Client, Connection
from .faults import BadReply, Crashed, Exchange, NotClaimed, TargetFault, TimedOut, Unsupported
from .features import FEATURES
from .in_child import InChild
from .in_process import InProcess, load_factory
from .messages import METHODS, SURFACES
from .messages.describe import PROTOCOL
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
    "InChild",
    "InProcess",
    "NotClaimed",
    "Stdio",
    "TargetFault",
    "TimedOut",
    "Unsupported",
    "load_factory",
    "serve",
]
