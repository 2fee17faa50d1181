"""The certificates of a small cluster: authorities of its own, and what they sign."""

import base64
import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ..dra.driver_process import kubeconfig

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
        """Make its key, and sign itself."""
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
        made = builder.sign(self._key, hashes.SHA256())
        return Signed(made.public_bytes(Encoding.PEM), _pem(key))

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
