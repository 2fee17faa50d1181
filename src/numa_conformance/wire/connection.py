"""``Connection``: one method to ask a target, whatever lies between."""

import contextlib
import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from ..errors import Fault, UsageError
from ..files import TemporaryFolder
from ..forms import read_form
from ..machine import machine_from_dict
from ..machine.hostfs import write_tree
from .faults import BadReply, NotClaimed, TargetFault, Unsupported, shorten
from .features import check_claims, other_version
from .message import Message, Method, R, Request
from .messages import METHODS
from .messages.describe import PROTOCOL, Describe, Description
from .target_record import TargetRecord, machine_of
from .values import JsonObject

MOST_TREES = 32
"""Trees that are kept: one of a large machine has tens of thousands of files."""


class HostTrees:
    """Lays out each machine once, below a folder of its own, while it is asked about again and again."""

    def __init__(self) -> None:
        self._folder: TemporaryFolder | None = None
        self._roots: dict[str, Path] = {}

    def root_of(self, machine: JsonObject) -> str:
        """Return the root of a machine's tree; raises ``UsageError`` for what is no machine."""
        key = hashlib.sha256(msgspec.json.encode(machine, order="deterministic")).hexdigest()[:16]
        root = self._roots.pop(key, None)
        if root is None:
            described = machine_from_dict(machine, "machine")
            self._folder = self._folder or TemporaryFolder("numa-conformance-hosts-")
            root = self._folder.path / key
            write_tree(described, root)
        self._roots[key] = root
        if len(self._roots) > MOST_TREES:
            shutil.rmtree(self._roots.pop(next(iter(self._roots))), ignore_errors=True)
        return str(root)

    def close(self) -> None:
        """Remove all trees."""
        if self._folder is not None:
            self._folder.close()
        self._folder = None
        self._roots.clear()


LONGEST_NAME = 200


class Connection(Protocol):
    """A way to a target. After a fault the next request finds a fresh target."""

    @property
    def label(self) -> str:
        """How the target was named by the user."""

    def request(self, message: Request[R]) -> R:
        """Ask and return the reply; raises ``TargetFault``."""

    def close(self) -> None:
        """End the target."""


class Client:
    """A target with a description: asks only what it claims, and checks who it is before anything else."""

    _forms: Mapping[str, type[Message]] = {name: method.request for name, method in METHODS.items()}

    def __init__(self, connection: Connection, record: TargetRecord | None = None) -> None:
        """Shake hands; raises ``TargetFault``, or ``UsageError`` for claims that are not known.

        ``record``: what the same target has said elsewhere.
        """
        self._connection = connection
        self.record = TargetRecord() if record is None else record
        try:
            described = _handshake(connection)
            _check_names(described)
            check_claims(described.surfaces, described.features, described.protocol)
        except UsageError as error:
            connection.close()
            raise error.within(connection.label) from error
        except BaseException:
            connection.close()
            raise
        self.description = self.record.describes(described)
        self._answered: set[str] = set()
        self.questions = 0
        """How many questions were asked."""
        self._hosts = HostTrees() if "host_root" in (self.description.wants or ()) else None

    @property
    def label(self) -> str:
        """How the target was named by the user."""
        return self._connection.label

    @property
    def features(self) -> frozenset[str]:
        """The features the target claims."""
        return frozenset(self.description.features)

    @property
    def surfaces(self) -> frozenset[str]:
        """The surfaces the target claims."""
        return frozenset(self.description.surfaces)

    @property
    def outside(self) -> dict[str, list[str]]:
        """Why machines are outside of what the target supports, as it says, to their names."""
        return self.record.outside

    @property
    def untold(self) -> frozenset[str]:
        """The fields of answers that the target cannot see."""
        return frozenset(self.description.untold or ())

    def name(self, **names: str) -> None:
        """Call the target by another name or version; raises ``UsageError``."""
        self.description = self.record.description = msgspec.structs.replace(self.description, **names)
        _check_names(self.description)

    def ask(self, request: Request[R]) -> R:
        """Ask one question. Raises ``TargetFault``."""
        surface = request.method.surface
        if surface not in self.description.surfaces and surface != "describe":
            raise NotClaimed(f"the target does not claim the surface {surface!r}")
        self.questions += 1
        name = request.method.name
        if self._hosts is not None and getattr(request, "host_root", None) is UNSET:
            request = msgspec.structs.replace(request, host_root=self._hosts.root_of(machine_of(request)))
        try:
            reply = self._connection.request(request)
        except Unsupported as fault:
            self.record.refuses(request, fault)
            raise
        except NotClaimed as fault:
            if name not in self._answered:
                raise
            raise BadReply(
                f"the target has answered {name} before, and says that there is none", fault.exchange
            ) from None
        self._answered.add(name)
        self.record.answers(request, reply)
        return reply

    def describe_again(self) -> None:
        """Ask once more who is there, for what it says otherwise; a fault tells nothing."""
        with contextlib.suppress(TargetFault):
            self.record.describes(self._connection.request(Describe()))

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask with plain JSON values and return plain JSON values. Raises ``TargetFault`` and ``UsageError``."""
        form = self._forms.get(method)
        if form is None:
            raise UsageError(Fault("", f"no method {method!r}", ", ".join(METHODS)))
        request: Any = read_form(form, params)
        reply: dict[str, Any] = msgspec.to_builtins(self.ask(request))
        return reply

    def close(self) -> None:
        """End the target, and remove what was laid out for it."""
        self._connection.close()
        if self._hosts is not None:
            self._hosts.close()


def _check_names(described: Description) -> None:
    """Refuse a name that is none: it heads reports and the lines of a verdict."""
    for field in ("name", "version"):
        name = getattr(described, field)
        if len(name) > LONGEST_NAME or not name.isprintable():
            accepted = f"one line of at most {LONGEST_NAME} printable characters"
            raise UsageError(Fault(f"describe: {field}", f"is {shorten(ascii(name))}", accepted))


class _AnyDescription(msgspec.Struct):
    """What is read of the description of a target that speaks another version of the protocol."""

    protocol: str


class _DescribeAnyhow(Describe, frozen=True):
    """Asks who is there, and reads the version alone."""

    method = Method("describe", "describe", Describe, _AnyDescription)


def _handshake(connection: Connection) -> Description:
    """Ask who is there. Raises ``TargetFault``, and ``UsageError`` for a target of another version of the protocol."""
    try:
        return connection.request(Describe())
    except BadReply as fault:
        try:
            described: Any = connection.request(_DescribeAnyhow())
        except TargetFault:
            raise fault from None
        if described.protocol != PROTOCOL:
            raise UsageError(other_version(described.protocol)) from fault
        raise
