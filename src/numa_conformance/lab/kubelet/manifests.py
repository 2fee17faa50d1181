"""Pods as a kubelet finds them, each in a file of the folder that it watches."""

import copy
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class KubeletPod:
    """A pod that the kubelet has: its manifest, under a name and a uid of ours."""

    uid: str
    manifest: Mapping[str, Any]
    file: Path

    @classmethod
    def of(cls, pod: Mapping[str, Any], name: str, uid: str, number: int, root: Path) -> "KubeletPod":
        """Return a pod for the kubelet whose folder is ``root``; those of larger numbers are younger."""
        manifest = copy.deepcopy(dict(pod))
        manifest.update(apiVersion="v1", kind="Pod")
        manifest["metadata"] = {
            **(manifest.get("metadata") or {}), "name": name, "namespace": "default", "uid": uid,
            "creationTimestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_000_000_000 + number)),
        }  # fmt: skip
        manifest["spec"] = {"terminationGracePeriodSeconds": 1, "enableServiceLinks": False, **manifest["spec"]}
        for kind in ("initContainers", "containers"):
            for container in manifest["spec"].get(kind) or ():
                container.setdefault("image", "example")
                container["imagePullPolicy"] = "IfNotPresent"
        return cls(uid, manifest, root / "manifests" / f"{name}.json")

    def kinds(self) -> Iterator[tuple[str, str]]:
        """Yield each container's name and kind, in order: ``init``, ``sidecar`` or ``app``."""
        for container in self.manifest["spec"].get("initContainers") or ():
            yield container["name"], "sidecar" if container.get("restartPolicy") == "Always" else "init"
        for container in self.manifest["spec"].get("containers") or ():
            yield container["name"], "app"

    def write(self) -> None:
        """Let the kubelet see it. It is made elsewhere and moved, so that the kubelet never reads half of it."""
        draft = self.file.parent.with_name(self.file.name)
        draft.write_text(json.dumps(self.manifest))
        draft.rename(self.file)
