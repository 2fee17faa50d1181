"""The fields of a KubeletConfiguration by version, and what a kubelet refuses in each before its managers start."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from ..files import records_of, text_of
from .versions import KubernetesVersion, Span

_ALWAYS = Span.parse("1.0+")


@dataclass(frozen=True, slots=True)
class FieldCheck:
    """One rule of a field, and the kubelet's words where it is broken; without words its name stands for a function."""

    versions: Span
    rule: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class ConfigurationField:
    """One field by its path. ``kind``: its type; with ``?`` a zero is a value, else it counts as absent.

    ``since``: the first version that knows it; ``idle_since``: from this version on it has no effect.
    """

    name: str
    kind: str
    since: KubernetesVersion
    idle_since: KubernetesVersion | None
    checks: tuple[FieldCheck, ...]

    @cached_property
    def root(self) -> str:
        """The field of the configuration that holds it, or itself."""
        return self.name.partition(".")[0]

    @cached_property
    def concerns_absence(self) -> bool:
        """Whether a function checks it, also where it is not set."""
        return any(not check.message for check in self.checks)


def _check(text: str) -> FieldCheck:
    span, semicolon, rest = text.partition("; ") if text.startswith("1.") and "; " in text else ("", "", text)
    rule, _, message = rest.partition(": ")
    words = message.replace("~", "invalid configuration: ", 1) if message.startswith("~") else message
    return FieldCheck(Span.parse(span) if semicolon else _ALWAYS, tuple(rule.split()), words)


def _field(head: str, *checks: str) -> ConfigurationField:
    plain, _, idle = head.partition(" idle ")
    name, kind, since = [*plain.split(), "1.0"][:3]
    last = KubernetesVersion.parse(idle) if idle else None
    return ConfigurationField(name, kind, KubernetesVersion.parse(since), last, tuple(map(_check, checks)))


FIELDS: Mapping[str, ConfigurationField] = MappingProxyType(
    {
        field.name: field
        for field in (_field(*record) for record in records_of(text_of(__package__, "configuration_fields.txt")))
    }
)
"""Path to field, in the order in which a kubelet looks at them."""
