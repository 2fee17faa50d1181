"""The real control plane: the flags of each program, and the certificates and files that they name."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...files import parts_of, text_of
from ..kubelet.cri_objects import NOWHERE
from .api import Api
from .binaries import LOOPBACK
from .certificates import Authority, key_pair, write_secret

_FLAGS = dict(parts_of(text_of(__package__, "flags.txt")))
"""Program to its flags, with what stands for ports and for pairs of files, certificate and key."""
_API_HOSTS = (LOOPBACK, "localhost", "10.0.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
              "kubernetes.default.svc.cluster.local")  # fmt: skip


class ControlPlane:
    """The files of a control plane below ``folder``, and the words that start each of its programs.

    It has two authorities, one for the cluster and one for etcd, so that no client of the cluster is one of etcd.
    """

    def __init__(self, folder: Path, address: str | None) -> None:
        """Make authorities, certificates and keys."""
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
        return Api(server, *map(str, (self._files["ca"][0], *self._admin_client)))
