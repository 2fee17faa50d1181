"""OpenStack Nova chooses the CPUs: an adapter to the CPU pinning of ``nova.virt.hardware`` (PyPI: nova).

pytest --numa-conformance --numa-target allocator:Nova      (from this folder)

A request becomes an instance with dedicated CPUs, as a flavor with ``hw:cpu_policy=dedicated`` asks for: first with one
NUMA cell, which is Nova's default, then with ``hw:numa_nodes`` 2, 3 and so on until Nova finds a place. The available
CPUs are the host's dedicated set. Nova chooses; the adapter translates.
"""

import logging
from importlib.metadata import version

from nova import objects
from nova.virt import hardware

from numa_conformance.machines import machine_from_dict
from numa_conformance.targets import PROTOCOL, CpuSet, Description, Picked, PickRefused

FEATURES = ["cpu-manager/static", "cpu-manager/full-pcpus-only", "cpu-manager/distribute-cpus-across-numa"]
objects.register_all()
logging.getLogger("nova").setLevel(logging.CRITICAL)


class Nova:
    """Answers ``pick`` alone: Nova keeps instances, no pods."""

    def describe(self, request):
        return Description("nova.virt.hardware", version("nova"), PROTOCOL, ["pick"], FEATURES)

    def pick(self, request):
        if request.count == 0:
            return Picked("")
        host = host_of(request.machine, CpuSet.parse(request.available))
        policy = "require" if request.options.get("full-pcpus-only") else "prefer"
        for cells in range(1, min(len(host.cells), request.count) + 1):
            fitted = hardware.numa_fit_instance_to_host(host, instance_of(request.count, cells, policy), {})
            if fitted is not None:
                return Picked(str(CpuSet(cpu for cell in fitted.cells for cpu in cell.cpu_pinning.values())))
        return PickRefused("Nova fits this instance to no NUMA cells of the host")


def host_of(machine, dedicated):
    """Return a machine as Nova's compute service would report it; only ``dedicated`` CPUs can be pinned."""
    cores = list(map(set, machine_from_dict(machine).cores))
    cells = []
    for node, near in machine_from_dict(machine).numa_cpus.items():
        cpus = set(near & dedicated)
        cells.append(
            objects.NUMACell(
                id=node,
                cpuset=set(),
                pcpuset=cpus,
                siblings=[core & cpus for core in cores if core & cpus],
                pinned_cpus=set(),
                memory=2**30,
                memory_usage=0,
                cpu_usage=0,
                mempages=[],
                network_metadata=objects.NetworkMetadata(physnets=set(), tunneled=False),
            )
        )
    return objects.NUMATopology(cells=cells)


def instance_of(count, cells, thread_policy):
    """Return an instance of so many dedicated CPUs, divided over NUMA cells as evenly as can be."""
    share, rest = divmod(count, cells)
    return objects.InstanceNUMATopology(
        cells=[
            objects.InstanceNUMACell(
                id=index,
                cpuset=set(),
                pcpuset=set(range(share + (index < rest))),
                memory=1,
                cpu_policy="dedicated",
                cpu_thread_policy=thread_policy,
            )
            for index in range(cells)
        ]
    )
