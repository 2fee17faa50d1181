"""Targets in this process: an object with the claimed methods."""

import importlib
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ..errors import Fault, UsageError
from .faults import Crashed, Exchange, NotClaimed, TargetFault, message_of
from .features import other_version
from .message import Message, Method, R, Request, checked_reply

Factory = Callable[[], object]


def load_factory(name: str) -> Factory:
    """Find ``package.module:factory``; modules of the working folder are found too. Raises ``UsageError``."""
    module_name, colon, attribute = name.partition(":")
    if not colon or not module_name or not attribute:
        raise UsageError(Fault("target", f"{name!r} does not name a factory", "package.module:factory"))
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        named: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            named = getattr(named, part)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("numa_conformance.target"):
            raise UsageError(other_version("1")) from error
        text = f"{name!r} cannot be loaded: {type(error).__name__}: {error}"
        raise UsageError(Fault("target", text, "package.module:factory")) from error
    if not callable(named):
        raise UsageError(Fault("target", f"{name!r} is not callable", "a function or a class without arguments"))
    factory: Factory = named
    return factory


class InProcess:
    """Calls a target of our own, or one that is debugged, in this thread: nothing ends what does not come back."""

    def __init__(self, factory: Factory, label: str) -> None:
        """Take the factory; a target is made at the first request and after every fault."""
        self._factory = factory
        self._target: object | None = None
        self.label = label

    def request(self, message: Request[R]) -> R:
        """Ask and return the reply; raises ``TargetFault``."""
        try:
            if self._target is None:
                self._target = self._factory()
            reply: R = checked_reply(message.method, answer_of(self._target, message.method, message))
            return reply
        except NotClaimed:
            raise
        except Exception as error:
            fault = fault_of(error)
            self._target = None
            if fault.exchange.sent:
                raise fault from error
            shown = f"{message.method.name} {msgspec.json.encode(message).decode()}"
            raise type(fault)(fault.message, Exchange(shown, fault.exchange.received)) from error

    def close(self) -> None:
        """Forget the target."""
        self._target = None


def answer_of(target: object, method: Method, question: Message) -> object:
    """Return what a target's method answers; raises ``NotClaimed`` where there is none, and what it raises."""
    answer = getattr(target, method.attribute, None)
    if answer is None:
        raise NotClaimed(f"the target has no method {method.attribute!r}")
    return answer(question)


def fault_of(error: BaseException) -> TargetFault:
    """Return the fault of a target that raised something."""
    if isinstance(error, TargetFault):
        return error
    # Faults are kept until the run's end; what the target held when it failed is not.
    traceback.clear_frames(error.__traceback__)
    does = "refused the question" if isinstance(error, UsageError) else f"raised {type(error).__name__}"
    return Crashed(f"the target {does}: {message_of(error)}")
