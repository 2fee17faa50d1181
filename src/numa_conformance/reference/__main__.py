"""``python -m numa_conformance.reference``: the reference, or any Python target, served over stdio."""

import argparse
import sys

from ..errors import UsageError
from ..sources.versions import DEFAULT, KubernetesVersion
from ..wire.in_process import load_factory
from ..wire.serve import serve
from .target.reference_target import ReferenceTarget


def main() -> int:
    """Serve a target until the input ends."""
    parser = argparse.ArgumentParser(
        prog="python -m numa_conformance.reference", description="Serve the reference, or another target, on stdio."
    )
    parser.add_argument(
        "--level", choices=("exact", "documented"), default="exact", help="with the kubelet's quirks or not"
    )
    parser.add_argument("--kubernetes-version", default=str(DEFAULT), help="the version whose behaviour is followed")
    parser.add_argument("--target", metavar="FACTORY", help="serve this one instead: package.module:factory")
    arguments = parser.parse_args()
    try:
        version = KubernetesVersion.supported(arguments.kubernetes_version)
        factory = load_factory(arguments.target) if arguments.target else None
    except UsageError as error:
        parser.error(str(error))
    serve(factory() if factory else ReferenceTarget(arguments.level, version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
