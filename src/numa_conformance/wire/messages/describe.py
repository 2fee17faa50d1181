"""The handshake, which belongs to no surface."""

from typing import Literal

from msgspec import UNSET, UnsetType

from ...sources.versions import DEFAULT
from ..message import Message, Request

PROTOCOL = "2"
"""The version of the protocol that these messages are."""


class Description(Message, frozen=True, omit_defaults=False):
    """Who a target is, and what it claims.

    ``untold``: fields of answers that it leaves out because it cannot see them, not because there is nothing: they are
    compared with the kubelet's where they are reported. ``wants``: optional fields of questions that it is sent; there
    is one, ``host_root``.
    """

    name: str
    version: str
    protocol: str
    surfaces: list[str]
    features: list[str]
    kubernetes_version: str = str(DEFAULT)
    untold: list[str] | UnsetType = UNSET
    wants: list[Literal["host_root"]] | UnsetType = UNSET


class Describe(Request[Description], method="describe", surface="describe", frozen=True, omit_defaults=False):
    """Who are you? The first message."""

    protocol: str = PROTOCOL
