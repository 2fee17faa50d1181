"""The reference with its policy changed in one place, served on stdio: ``python changed_policies.py NAME``.

What someone who changes a policy would ask ``diff`` about.
"""

import sys
from dataclasses import replace

from numa_conformance.cpuset import iter_bits
from numa_conformance.reference.managers.cpu import CpuAllocator, manager
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import serve

allocate, make, reserved_cpus = CpuAllocator.allocate, CpuAllocator.__init__, manager.reserved_cpus


def takes_the_highest_ids():
    def highest(self, available, count, trace=None):
        free = list(iter_bits(available & self.topology.all))
        if not 0 < count <= len(free):
            return allocate(self, available, count, trace)
        return sum(1 << cpu for cpu in free[-count:])

    CpuAllocator.allocate = highest


def ignores_uncore_caches():
    def without(self, topology, options, *others):
        make(self, topology, replace(options, prefer_align_cpus_by_uncorecache=False), *others)

    CpuAllocator.__init__ = without


def forgets_a_reserved_cpu():
    def fewer(*args):
        reserved = reserved_cpus(*args)
        return (reserved & ~(1 << (reserved.bit_length() - 1))) or reserved

    manager.reserved_cpus = fewer


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    serve(ReferenceTarget())
