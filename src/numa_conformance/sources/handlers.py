"""The handlers that a pod passes before a kubelet runs it, in their order, and what is modelled of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from types import MappingProxyType

from ..files import records_of, text_of
from .versions import KubernetesVersion, Span


@dataclass(frozen=True, slots=True)
class AdmissionHandler:
    """One handler: the versions that have it and the reasons that it gives.

    ``refuses`` goes on from "a kubelet refuses a pod if"; ``modelled`` says how far it is reproduced here.
    """

    name: str
    versions: Span
    reasons: tuple[str, ...]
    refuses: str
    modelled: str


def _read(head: str, refuses: str, modelled: str) -> AdmissionHandler:
    name, versions, reasons = head.split("; ")
    return AdmissionHandler(name, Span.parse(versions), tuple(reasons.split()), refuses, modelled)


_RECORDS = records_of(text_of(__package__, "handlers.txt"))
HANDLERS: Mapping[str, AdmissionHandler] = MappingProxyType({each.name: each for each in starmap(_read, _RECORDS)})
"""Name to handler, in the kubelet's order: the first that refuses ends it (ADM-CHAIN-02)."""

_SAFE = """
1.27 kernel.shm_rmid_forced net.ipv4.ip_local_port_range net.ipv4.tcp_syncookies net.ipv4.ping_group_range
1.27 net.ipv4.ip_unprivileged_port_start net.ipv4.ip_local_reserved_ports
1.29 net.ipv4.tcp_keepalive_time net.ipv4.tcp_fin_timeout net.ipv4.tcp_keepalive_intvl net.ipv4.tcp_keepalive_probes
1.32 net.ipv4.tcp_rmem net.ipv4.tcp_wmem
1.37 net.ipv4.tcp_slow_start_after_idle net.ipv4.tcp_notsent_lowat
"""
SAFE_SYSCTLS: Mapping[str, KubernetesVersion] = MappingProxyType(
    {name: KubernetesVersion.parse(line[:4]) for line in _SAFE.split("\n") for name in line[5:].split()}
)
"""Sysctls that every pod may set, each since a version; kernels before 4.15 lack the namespaces of some."""
