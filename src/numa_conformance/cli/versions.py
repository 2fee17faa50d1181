"""How commands read the option that names a version of Kubernetes."""

from __future__ import annotations

import click

from ..errors import UsageError
from ..sources.patches import patch_note
from ..sources.versions import KubernetesVersion


def version(text: str) -> KubernetesVersion:
    """Read ``--kubernetes-version``, and say on standard error what is known of a patch that it names.

    Raises ``UsageError`` for a version whose behaviour is not known.
    """
    try:
        asked = KubernetesVersion.supported(text)
    except UsageError as error:
        raise error.within("--kubernetes-version") from error
    note = patch_note(asked)
    if note:
        click.echo(f"Kubernetes {asked}: {note}", err=True)
    return asked
