"""``python -m numa_conformance.target``: the reference, served over stdio."""

from __future__ import annotations

import argparse
import sys

from ..errors import UsageError
from ..kube.features import check_version
from .reference import ReferenceTarget
from .serve import serve


def main() -> int:
    """Serve the reference until the input ends."""
    parser = argparse.ArgumentParser(
        prog="python -m numa_conformance.target", description="Serve the reference on stdio."
    )
    parser.add_argument(
        "--level", choices=("exact", "documented"), default="exact", help="with the kubelet's quirks or not"
    )
    parser.add_argument("--kubernetes-version", default="1.32", help="the version whose behaviour is followed")
    arguments = parser.parse_args()
    try:
        check_version(arguments.kubernetes_version)
    except UsageError as error:
        parser.error(str(error))
    serve(ReferenceTarget(arguments.level, arguments.kubernetes_version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
