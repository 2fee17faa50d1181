"""How commands read the option that names a version of Kubernetes."""

from __future__ import annotations

from ..documentation.versions import KubernetesVersion
from ..errors import UsageError

__all__ = ["version"]


def version(text: str) -> KubernetesVersion:
    """Read ``--kubernetes-version``; raises ``UsageError`` for one whose behaviour is not known."""
    try:
        return KubernetesVersion.supported(text)
    except UsageError as error:
        raise error.within("--kubernetes-version") from error
