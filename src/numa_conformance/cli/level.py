"""The options of commands that ask the reference: at which level, and for which version."""

from __future__ import annotations

import click

from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, SUPPORTED_RANGE, KubernetesVersion
from .names import Named
from .versions import version

LEVEL = click.option(
    "--level",
    type=Named(["exact", "documented"]),
    default="exact",
    show_default=True,
    help="With the quirks of Kubernetes, or by the documentation.",
)
VERSION = click.option(
    "--kubernetes-version",
    type=version,
    default=str(DEFAULT),
    show_default=True,
    help=f"The version whose behaviour is followed: {SUPPORTED_RANGE}.",
)


def quirks_of(level: str, kubernetes_version: KubernetesVersion) -> Quirks:
    """Return what a version does at a level."""
    return Quirks.of(kubernetes_version) if level == "exact" else Quirks.none()
