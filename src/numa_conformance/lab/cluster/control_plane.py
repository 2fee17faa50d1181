"""The real control plane: the flags of each program, and the certificates and files that they name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .api import Api
from .binaries import LOOPBACK
from .certificates import Authority, key_pair, write_secret

_SERVICES = "10.0.0.0/24"
_ISSUER = "https://kubernetes.default.svc.cluster.local"
_API_HOSTS = (LOOPBACK, "localhost", "10.0.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
              "kubernetes.default.svc.cluster.local")  # fmt: skip
_NOWHERE = "192.0.2.1"
"""Of the network for documentation: what must be named, and is not served."""


class ControlPlane:
    """The files of a control plane below ``folder``, and the words that start each of its programs.

    It has two authorities, one for the cluster and one for etcd, so that no client of the cluster is one of etcd.
    """

    def __init__(self, folder: Path, address: str | None) -> None:
        """Make authorities, certificates and keys."""
        self.folder = folder
        self._address = address or _NOWHERE
        folder.mkdir(mode=0o700, parents=True)
        self.authority = Authority("numa-conformance")
        etcd = Authority("numa-conformance etcd")
        self.authority_files = self.authority.signed.write(folder, "ca")
        self._etcd_authority, _ = etcd.signed.write(folder, "etcd-ca")
        self._etcd = etcd.issue("etcd", hosts=(LOOPBACK, "localhost")).write(folder, "etcd")
        self._etcd_client = etcd.issue("kube-apiserver").write(folder, "etcd-client")
        self._api = self.authority.issue("kube-apiserver", hosts=_API_HOSTS).write(folder, "apiserver")
        masters = ("system:masters",)
        self._kubelet_client = self.authority.issue("kube-apiserver-kubelet-client", masters).write(
            folder, "to-kubelets"
        )
        self._admin_client = self.authority.issue("numa-conformance", masters).write(folder, "own")
        self.kubelet_server = self.authority.issue("kubelet-server", hosts=(LOOPBACK, "localhost", self._address))
        self._accounts = folder / "service-accounts.pub", folder / "service-accounts.key"
        for place, content in zip(self._accounts, key_pair(), strict=True):
            write_secret(place, content)

    def etcd(self, program: str, client: int, peer: int) -> list[str]:
        """Return the words that start etcd; it serves clients at a port, and no peers."""
        url, peers = f"https://{LOOPBACK}:{client}", f"https://{LOOPBACK}:{peer}"
        certificate, key = self._etcd
        return [
            program,
            f"--data-dir={self.folder.parent / 'etcd'}",
            "--unsafe-no-fsync",
            "--log-level=warn",
            f"--listen-client-urls={url}",
            f"--advertise-client-urls={url}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            f"--cert-file={certificate}",
            f"--key-file={key}",
            f"--trusted-ca-file={self._etcd_authority}",
            "--client-cert-auth",
            f"--peer-cert-file={certificate}",
            f"--peer-key-file={key}",
            f"--peer-trusted-ca-file={self._etcd_authority}",
            "--peer-client-cert-auth",
        ]

    def apiserver(self, program: str, port: int, etcd: int) -> list[str]:
        """Return the words that start the API server."""
        authority, _ = self.authority_files
        return [
            program,
            f"--bind-address={LOOPBACK}",
            f"--secure-port={port}",
            f"--advertise-address={self._address}",
            f"--etcd-servers=https://{LOOPBACK}:{etcd}",
            f"--etcd-cafile={self._etcd_authority}",
            f"--etcd-certfile={self._etcd_client[0]}",
            f"--etcd-keyfile={self._etcd_client[1]}",
            f"--tls-cert-file={self._api[0]}",
            f"--tls-private-key-file={self._api[1]}",
            f"--client-ca-file={authority}",
            f"--kubelet-certificate-authority={authority}",
            f"--kubelet-client-certificate={self._kubelet_client[0]}",
            f"--kubelet-client-key={self._kubelet_client[1]}",
            f"--service-cluster-ip-range={_SERVICES}",
            f"--service-account-issuer={_ISSUER}",
            f"--service-account-key-file={self._accounts[0]}",
            f"--service-account-signing-key-file={self._accounts[1]}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
        ]

    def controller_manager(self, program: str, server: str) -> list[str]:
        """Return the words that start the controller manager."""
        authority, key = self.authority_files
        return [
            program,
            f"--kubeconfig={self.kubeconfig('kube-controller-manager', server)}",
            f"--root-ca-file={authority}",
            f"--cluster-signing-cert-file={authority}",
            f"--cluster-signing-key-file={key}",
            f"--service-account-private-key-file={self._accounts[1]}",
            "--use-service-account-credentials",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
            "--leader-elect=false",
            f"--bind-address={LOOPBACK}",
            "--secure-port=0",
        ]

    def scheduler(
        self, name: str, program: str, server: str, config: Mapping[str, Any] | None, flags: Sequence[str] = ()
    ) -> list[str]:
        """Return the words that start a scheduler with a KubeSchedulerConfiguration, which is told the cluster."""
        settings = dict(
            config or {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
        )
        kubeconfig = str(self.kubeconfig("kube-scheduler", server))
        settings["clientConnection"] = {
            "qps": 500,
            "burst": 1000,
            **(settings.get("clientConnection") or {}),
            "kubeconfig": kubeconfig,
        }
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
        authority, _ = self.authority_files
        return Api(server, *map(str, (authority, *self._admin_client)))
