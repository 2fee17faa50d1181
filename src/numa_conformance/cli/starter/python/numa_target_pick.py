"""A shim between your allocator and numa-conformance, for one that only chooses CPUs.

    numa-conformance smoke --target numa_target:make
    pytest --numa-conformance --numa-target numa_target:make

It takes the lowest ids, and the suite says why that is not enough. Next: let ``pick`` ask your allocator, and add the
options that it knows to FEATURES. All features are listed in docs/protocol.md of numa-conformance.
"""

from numa_conformance.targets import PROTOCOL, CpuSet, Describe, Description, Pick, Picked, PickRefused

FEATURES = ["cpu-manager/static"]


class Target:
    """Chooses CPUs, and remembers nothing."""

    def describe(self, request: Describe) -> Description:
        """Say who this is and what it claims; only that is tested.

        With ``wants=["host_root"]`` the machine comes as a tree of ``/sys`` and ``/proc`` too.
        """
        return Description("my-allocator", "0.1.0", PROTOCOL, ["pick"], FEATURES)

    def pick(self, request: Pick) -> Picked | PickRefused:
        """Choose so many of the available CPUs of a machine: here the lowest ids. Your allocator goes here.

        A machine that it does not support: ``raise numa_conformance.wire.Unsupported("why")``.
        """
        available = list(CpuSet.parse(request.available))
        if request.count > len(available):
            return PickRefused(f"{len(available)} CPUs are free")
        return Picked(str(CpuSet(available[: request.count])))


def make() -> Target:
    """Make the target; called once per run, and again after a crash."""
    return Target()
