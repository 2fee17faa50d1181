"""The real control plane: the flags of each program, its certificates, their authorities, and other files."""

import base64
import datetime
import ipaddress
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ...files import parts_of, text_of
from ..dra.driver_process import kubeconfig
from ..kubelet.cri_objects import NOWHERE
from .binaries import LOOPBACK
from .pods import Api

_VALID = datetime.timedelta(days=365)
_EARLIER = datetime.timedelta(hours=1)
"""Clocks of containers are not always right."""


@dataclass(frozen=True)
class Signed:
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes

    def write(self, folder: Path, name: str) -> tuple[Path, Path]:
        """Write both, readable by their owner alone, and return where."""
        files = folder / f"{name}.crt", folder / f"{name}.key"
        write_secret(files[0], self.certificate)
        write_secret(files[1], self.key)
        return files


class Authority:
    """A certificate authority that signs for one cluster; its key is kept in memory and where ``signed`` is written."""

    def __init__(self, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name, ())
        builder = _builder(self._name, self._name, self._key.public_key())
        usage = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
        )  # fmt: skip
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = builder.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())
        self.signed = Signed(made.public_bytes(Encoding.PEM), _pem(self._key))

    def issue(self, name: str, groups: Sequence[str] = (), hosts: Sequence[str] = ()) -> Signed:
        """Sign a certificate for a client, a member of groups; with ``hosts`` for a server of these names as well."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name(name, groups), self._name, key.public_key())
        usages = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] if hosts else [])]
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        if hosts:
            builder = builder.add_extension(x509.SubjectAlternativeName(list(map(_host, hosts))), critical=False)
        return Signed(builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM), _pem(key))

    def kubeconfig(self, server: str, user: str, groups: Sequence[str] = ()) -> bytes:
        """Return the kubeconfig of a user who has a new certificate; it needs no other file."""
        client = self.issue(user, groups)
        cluster = {"server": server, "certificate-authority-data": _base64(self.signed.certificate)}
        credentials = {"client-certificate-data": _base64(client.certificate), "client-key-data": _base64(client.key)}
        return kubeconfig(cluster, user, credentials).encode()


def key_pair() -> tuple[bytes, bytes]:
    """Return a new public and private key, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), _pem(key)


def write_secret(place: Path, content: bytes) -> None:
    """Write a file that its owner alone can read."""
    place.touch(0o600)
    place.write_bytes(content)


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    builder = builder.serial_number(x509.random_serial_number())
    return builder.not_valid_before(now - _EARLIER).not_valid_after(now + _VALID)


def _name(name: str, groups: Sequence[str]) -> x509.Name:
    common_name = x509.NameAttribute(NameOID.COMMON_NAME, name)
    return x509.Name([*(x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups), common_name])


def _host(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


_FLAGS = dict(parts_of(text_of(__package__, "flags.txt")))
"""Program to its flags, with what stands for ports and for pairs of files, certificate and key."""
_API_HOSTS = (LOOPBACK, "localhost", "10.0.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
              "kubernetes.default.svc.cluster.local")  # fmt: skip


class ControlPlane:
    """The files of a control plane below ``folder``, and the words that start each of its programs.

    It has two authorities, one for the cluster and one for etcd, so that no client of the cluster is one of etcd.
    """

    def __init__(self, folder: Path, address: str | None) -> None:
        self.folder = folder
        self._address = address or NOWHERE
        folder.mkdir(mode=0o700, parents=True)
        self.authority = Authority("numa-conformance")
        etcd = Authority("numa-conformance etcd")
        masters, loopback = ("system:masters",), (LOOPBACK, "localhost")
        issue = self.authority.issue
        self._admin_client = issue("numa-conformance", masters).write(folder, "own")
        self.kubelet_server = issue("kubelet-server", hosts=(*loopback, self._address))
        self._files = {
            "ca": self.authority.signed.write(folder, "ca"),
            "etcd_ca": etcd.signed.write(folder, "etcd-ca"),
            "etcd": etcd.issue("etcd", hosts=loopback).write(folder, "etcd"),
            "etcd_client": etcd.issue("kube-apiserver").write(folder, "etcd-client"),
            "api": issue("kube-apiserver", hosts=_API_HOSTS).write(folder, "apiserver"),
            "kubelet_client": issue("kube-apiserver-kubelet-client", masters).write(folder, "to-kubelets"),
            "accounts": (folder / "service-accounts.pub", folder / "service-accounts.key"),
        }
        for place, content in zip(self._files["accounts"], key_pair(), strict=True):
            write_secret(place, content)

    def etcd(self, program: str, client: int, peer: int) -> list[str]:
        """Return the words that start etcd; it serves clients at a port, and no peers."""
        return self._words(program, "etcd", data=self.folder.parent / "etcd", client=client, peer=peer)

    def apiserver(self, program: str, port: int, etcd: int) -> list[str]:
        """Return the words that start the API server."""
        return self._words(program, "kube-apiserver", address=self._address, port=port, etcd_port=etcd)

    def controller_manager(self, program: str, server: str) -> list[str]:
        """Return the words that start the controller manager."""
        name = "kube-controller-manager"
        return self._words(program, name, kubeconfig=self.kubeconfig(name, server))

    def _words(self, program: str, name: str, **values: object) -> list[str]:
        return [program, *(flag.format(**self._files, **values) for flag in _FLAGS[name])]

    def scheduler(
        self, name: str, program: str, server: str, config: Mapping[str, Any] | None, flags: Sequence[str] = ()
    ) -> list[str]:
        """Return the words that start a scheduler with a KubeSchedulerConfiguration, which is told the cluster."""
        settings = dict(
            config or {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
        )
        kubeconfig = str(self.kubeconfig("kube-scheduler", server))
        rates = {"qps": 500, "burst": 1000, **(settings.get("clientConnection") or {})}
        settings["clientConnection"] = {**rates, "kubeconfig": kubeconfig}
        settings["leaderElection"] = {**(settings.get("leaderElection") or {}), "leaderElect": False}
        place = self.folder / f"{name}.yaml"
        write_secret(place, json.dumps(settings).encode())
        return [program, f"--config={place}", f"--bind-address={LOOPBACK}", "--secure-port=0", *flags]

    def kubeconfig(self, component: str, server: str) -> Path:
        """Write the kubeconfig of a component, and return where."""
        place = self.folder / f"{component}.kubeconfig"
        write_secret(place, self.authority.kubeconfig(server, f"system:{component}"))
        return place

    def api(self, server: str) -> Api:
        """Return what asks the API server as an administrator."""
        return Api(server, *map(str, (self._files["ca"][0], *self._admin_client)))
