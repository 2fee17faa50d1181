"""How commands read the option that names a version of Kubernetes."""

from __future__ import annotations

import click

from ..documentation.patches import patch_note
from ..documentation.versions import KubernetesVersion
from ..errors import UsageError


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
