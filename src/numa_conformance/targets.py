"""For authors of targets: every message, the types of their values, and what serves a target over stdio. Public.

A message is a class; its fields are those of ``docs/protocol.md``. A target is an object with a method for each message
that it claims: ``node.admit`` is called ``node_admit``.
"""

from .cpuset import CpuSet
from .errors import Fault, UsageError
from .kube import Pod
from .reference.target import ReferenceTarget
from .wire import METHODS, SURFACES, Unsupported, serve
from .wire.message import Message
from .wire.messages.allocate import *  # noqa: F403
from .wire.messages.claims import *  # noqa: F403
from .wire.messages.classify import *  # noqa: F403
from .wire.messages.describe import *  # noqa: F403
from .wire.messages.describe import PROTOCOL
from .wire.messages.hints import *  # noqa: F403
from .wire.messages.host import *  # noqa: F403
from .wire.messages.merge import *  # noqa: F403
from .wire.messages.node import *  # noqa: F403
from .wire.messages.pick import *  # noqa: F403
from .wire.messages.plugin import *  # noqa: F403
from .wire.messages.score import *  # noqa: F403
from .wire.values import HintValue, PriorState

__all__ = ["METHODS", "PROTOCOL", "SURFACES", "CpuSet", "Fault", "HintValue", "Pod", "PriorState", "ReferenceTarget"]
__all__ += ["Unsupported", "UsageError", "serve"]
__all__ += [
    name
    for name, value in list(globals().items())
    if isinstance(value, type) and issubclass(value, Message) and "messages." in value.__module__
]
