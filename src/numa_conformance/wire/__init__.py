"""The contract an implementation under test meets: messages, ways to reach it, conversations as data."""

from .connection import Client as Client
from .connection import Connection as Connection
from .faults import BadReply as BadReply
from .faults import Crashed as Crashed
from .faults import Exchange as Exchange
from .faults import NotClaimed as NotClaimed
from .faults import TargetFault as TargetFault
from .faults import TimedOut as TimedOut
from .faults import Unsupported as Unsupported
from .features import FEATURES as FEATURES
from .in_child import InChild as InChild
from .in_process import InProcess as InProcess
from .in_process import load_factory as load_factory
from .messages import METHODS as METHODS
from .messages import SURFACES as SURFACES
from .messages.describe import PROTOCOL as PROTOCOL
from .serve import serve as serve
from .stdio import Stdio as Stdio
