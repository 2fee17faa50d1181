"""What is used of the interfaces that Kubernetes publishes: message classes, and services over unix sockets.

CRI v1 (``k8s.io/cri-api/pkg/apis/runtime/v1``); device plugins v1beta1, PodResources v1, registration of plugins
and DRA (``k8s.io/kubelet/pkg/apis``); ResourceSlices (``k8s.io/api/resource``). ``interfaces.txt`` has a message a
line, with its fields; on the wire a map is a list of messages with a key and a value. A request of
``GetPreferredAllocation`` is published as ``PreferredAllocationRequest``; names are not on the wire.

A field reads ``name=NUMBER`` for a string, and ``name=NUMBER:KIND`` for another kind. Kinds are ``int64``, ``bool``,
another message, and ``map`` for text to text. A list has ``[]`` behind it. Numbers are those of the published
interface. What is not in the table is passed over, as protobuf does with fields that it does not know. Enumerations are
``int32``.
"""

import socket
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any
from urllib.parse import quote

import grpc
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from ...files import parts_of, text_of

Field = FieldDescriptorProto
_SECONDS, _CONNECT_SECONDS, _LOOK_SECONDS = 10, 0.5, 0.01
_LONGEST = 500
"""Characters of an error."""
_KINDS = {
    kind: getattr(Field, f"TYPE_{kind.upper()}")
    for kind in ("string", "bool", "bytes", "int32", "int64", "uint32", "uint64")
}


class Package:
    """The messages of one published package; ``package.Name(field=value)`` makes one."""

    def __init__(self, name: str, messages: Mapping[str, str], syntax: str = "proto3") -> None:
        """Take the package's name and its messages: name to fields. Only proto2 tells 0 from what is not there."""
        self.name = name
        file = FileDescriptorProto(name=f"{name}.proto", package=name, syntax=syntax)
        for message, fields in messages.items():
            _describe(file.message_type.add(name=message), fields.split(), name)
        pool = DescriptorPool()
        pool.Add(file)
        self._classes = {
            message: GetMessageClass(pool.FindMessageTypeByName(f"{name}.{message}")) for message in messages
        }

    def __getattr__(self, message: str) -> Any:
        """Return a message's class; one that the table does not name has no fields that are used."""
        if message not in self._classes:
            raise AttributeError(message)
        return self._classes[message]

    def of(self, message: str) -> Any:
        """Return a message's class, that of an empty one where the table does not name it."""
        return self._classes.get(message, self._classes["Empty"])


def _describe(message: DescriptorProto, fields: list[str], package: str) -> None:
    for text in fields:
        name, _, rest = text.partition("=")
        number, _, kind = rest.partition(":")
        field = message.field.add(name=name, number=int(number), label=Field.LABEL_OPTIONAL)
        kind = kind or "string"
        if kind.endswith("[]") or kind == "map":
            field.label = Field.LABEL_REPEATED
            kind = kind.removesuffix("[]")
        if kind == "map":
            entry = message.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
            entry.options.map_entry = True
            for place, part in enumerate(("key", "value"), start=1):
                entry.field.add(name=part, number=place, type=Field.TYPE_STRING, label=Field.LABEL_OPTIONAL)
            field.type, field.type_name = Field.TYPE_MESSAGE, f".{package}.{message.name}.{entry.name}"
        elif kind in _KINDS:
            field.type = _KINDS[kind]
        else:
            field.type, field.type_name = Field.TYPE_MESSAGE, f".{package}.{kind}"


_PACKAGES = {
    package: {message: fields for message, _, fields in (line.partition(" ") for line in lines)}
    for package, lines in parts_of(text_of(__package__, "interfaces.txt"))
}
"""Package to its messages: name to fields."""
CRI, DEVICE_PLUGINS, POD_RESOURCES, REGISTRATION = (
    Package(name, _PACKAGES[name]) for name in ("runtime.v1", "v1beta1", "v1", "pluginregistration")
)
_VERSIONS, _DRA, _RESOURCE = ("v1", "v1beta1"), "k8s.io.kubelet.pkg.apis.dra", "k8s.io.api.resource"
DRA, DRA_V1BETA1 = (Package(f"{_DRA}.{version}", _PACKAGES[_DRA]) for version in _VERSIONS)
RESOURCE_API, RESOURCE_API_V1BETA1 = (
    Package(f"{_RESOURCE}.{version}", {**_PACKAGES[_RESOURCE], **_PACKAGES[f"{_RESOURCE}.{version}"]}, "proto2")
    for version in _VERSIONS
)


def service(
    package: Package, name: str, answers: Mapping[str, Callable[..., Any]], requests: Mapping[str, str] | None = None
) -> Any:
    """Return a service's handlers: method to what answers it. A method ``X`` takes ``XRequest``, if there is one.

    ``requests`` names what other methods take. An answer that is a generator is a stream.
    """

    def handler(method: str, answer: Callable[..., Any]) -> Any:
        request = package.of((requests or {}).get(method, f"{method}Request"))
        kind = grpc.unary_stream_rpc_method_handler if method == "ListAndWatch" else grpc.unary_unary_rpc_method_handler
        return kind(answer, request_deserializer=request.FromString, response_serializer=_bytes)

    handlers = {method: handler(method, answer) for method, answer in answers.items()}
    return grpc.method_handlers_generic_handler(f"{package.name}.{name}", handlers)


def _bytes(message: Any) -> bytes:
    text: bytes = message.SerializeToString()
    return text


def error_text(error: Any) -> str:
    """Return the code and the details of a ``grpc.RpcError``, of bounded length."""
    return f"{error.code().name}: {error.details()}"[:_LONGEST]


def is_served(place: str) -> bool:
    """Tell whether somebody serves on a unix socket now. gRPC would wait a while before it closes what it has tried."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as tried:
        tried.settimeout(_CONNECT_SECONDS)
        tried.connect(place)
        return True
    return False


def address(socket: str) -> str:
    """Return a unix socket's path as gRPC takes it, which reads escapes in it."""
    return f"unix:{quote(socket)}"


def serve(
    socket: str, *services: Any, interceptors: Sequence[grpc.ServerInterceptor] = (), at_once: int = 16
) -> grpc.Server:
    """Serve on a unix socket until ``stop``, so many calls at once; raises ``OSError``."""
    server = grpc.server(ThreadPoolExecutor(max_workers=at_once), interceptors=list(interceptors))
    server.add_generic_rpc_handlers(services)
    try:
        served = server.add_insecure_port(address(socket))
    except RuntimeError as error:
        raise OSError(f"{socket}: cannot be served: {error}") from error
    if not served:  # as older versions of gRPC say the same
        raise OSError(f"{socket}: cannot be served")
    server.start()
    return server


class GrpcClient:
    """A connection to the services of a package on a unix socket. Calls raise ``grpc.RpcError``."""

    def __init__(self, socket: str, package: Package) -> None:
        """Take the socket; nothing is asked yet. What others had to do with it before does not count."""
        self._socket, self._package = socket, package
        self._channel = grpc.insecure_channel(address(socket), options=[("grpc.use_local_subchannel_pool", 1)])

    def wait(self, seconds: float) -> bool:
        """Wait until somebody serves; tell whether one does."""
        end = time.monotonic() + seconds
        while not (serves := is_served(self._socket)) and time.monotonic() < end:
            time.sleep(_LOOK_SECONDS)
        return serves

    def ask(self, method: str, request: Any, answer: str, seconds: float = _SECONDS) -> Any:
        """Call ``Service/Method``; ``answer`` names the message that comes back."""
        return self._call(self._channel.unary_unary, method, answer)(request, timeout=seconds)

    def watch(self, method: str, request: Any, answer: str, seconds: float | None = None) -> Any:
        """Call a method whose answer is a stream, which may last so long: iterate over it, or ``cancel`` it."""
        return self._call(self._channel.unary_stream, method, answer)(request, timeout=seconds)

    def close(self) -> None:
        """End the connection and all calls."""
        self._channel.close()

    def _call(self, kind: Callable[..., Any], method: str, answer: str) -> Any:
        return kind(
            f"/{self._package.name}.{method}",
            request_serializer=_bytes,
            response_deserializer=self._package.of(answer).FromString,
        )


def ask(socket: str, package: Package, method: str, request: Any, answer: str) -> Any:
    """Call ``Service/Method`` of a package on a unix socket; ``answer`` names the message that comes back.

    Raises ``grpc.RpcError``.
    """
    with closing(GrpcClient(socket, package)) as client:
        return client.ask(method, request, answer)
