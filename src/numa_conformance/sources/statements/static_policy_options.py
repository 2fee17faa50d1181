"""Node Resource Managers: the options of policy static.

What the page says of each in the same words follows from the option's record: that there is the option and what it does
(``nrm/options/<option>``), since when (``-since``), and how mature it is (``-is-alpha``, ``-is-beta``).
"""

from __future__ import annotations

from ..options import STATIC_OPTIONS, PolicyOption

_VISIBILITY = {"alpha": "hidden", "beta": "visible", "ga": "visible"}


def _lines(option: PolicyOption) -> str:
    """Return the three sentences that the page says of each option."""
    name, since = option.name, option.since
    stage, span = option.on_the_page
    return f"""\
{name} [MUST {since}+] There is the option {name}: {option.text}.
{name}-is-{stage} [MUST {span}] {name} is {stage} and {_VISIBILITY[stage]} by default.
{name}-since [MUST {since}+] {name} is available since {since}.
"""


TEXT = f"""\
# nrm/options 1.22+ Static policy options #cpu-policy-static--options
{"".join(map(_lines, STATIC_OPTIONS.values()))}\
beta-gate-is-on [MUST 1.23+] The gate CPUManagerPolicyBetaOptions is on by default.
beta-gate-hides [MUST 1.23+] Switching it off hides beta options.
alpha-gate-is-off [MUST 1.23+] The gate CPUManagerPolicyAlphaOptions is off by default.
alpha-gate-shows [MUST 1.23+] Switching it on shows alpha options.
options-are-named-one-by-one [MUST 1.23+] A gate alone enables no option: each must be named in the configuration.

# nrm/full-pcpus-only 1.22+ full-pcpus-only
whole-cores [MUST] With full-pcpus-only whole physical cores are always given.
default-is-best-fit [MUST] Without it CPUs are given by a best fit that knows the topology.
default-gives-threads [MUST] Without it single hardware threads may be given on systems with SMT.
default-may-share-cores [MAY] Without it containers may share physical cores.
  untestable: it permits, and demands nothing
all-containers-must-fit [MUST] With it a pod is admitted only if the requests of all its containers can be met by whole
  cores.
free-cores-must-suffice [MUST] That also holds where the number fits but no whole cores are free.
refused-pods-are-failed [MUST] A pod that is not admitted is put in the state Failed.
smt-alignment-error [MUST] A pod that is not admitted tells SMTAlignmentError.

# nrm/distribute-cpus-across-numa 1.23+ distribute-cpus-across-numa
even [MUST] CPUs are evenly distributed where more than one NUMA node is required.
even-over-many-nodes [MUST] That also holds for three and more NUMA nodes.
even-in-use [MUST] That also holds on a machine in use.
only-where-needed [MUST] It concerns only requests that need more than one NUMA node.
default-fills-one-node [MUST 1.8+] Without it CPUs are packed onto one NUMA node until it is filled.
default-spills-over [MUST 1.8+] Without it what remains spills over to the next NUMA node.

# nrm/align-by-socket 1.25+ align-by-socket
aligned-at-the-socket [MUST] With align-by-socket CPUs count as aligned at the socket boundary.
default-aligns-at-numa [MUST 1.8+] Without it CPUs are aligned at the NUMA boundary.
default-takes-few-nodes [SHOULD 1.8+] Without it the manager tries to take CPUs from the minimum number of NUMA nodes.
default-may-cross-sockets [MAY 1.8+] Without it these NUMA nodes need not be on one socket.
  untestable: it permits, and demands nothing
not-with-single-numa-node [MUST] It is not compatible with the Topology Manager policy single-numa-node.
not-with-more-sockets [MUST] It does not apply to hardware with more sockets than NUMA nodes.

# nrm/distribute-cpus-across-cores 1.31+ distribute-cpus-across-cores
separate-cores [MUST] With distribute-cpus-across-cores hardware threads come from different physical cores.
as-many-cores-as-possible [MUST] CPUs are distributed across as many physical cores as possible.
default-packs-cores [SHOULD 1.8+] Without it CPUs tend to be packed onto as few physical cores as possible.
less-under-load [MAY] It may be less effective on a loaded system.

# nrm/strict-cpu-reservation 1.32+ strict-cpu-reservation
reserved-set [MUST 1.17+] reservedSystemCPUs defines the CPUs of system daemons.
deprecated-flag [MUST 1.17+] The flag --reserved-cpus does the same and is deprecated.
  untestable: the flag is the kubelet's; targets are given a KubeletConfiguration
default-keeps-exclusive-off [MUST 1.17+] By default containers with exclusive CPUs are kept off reserved CPUs.
default-lets-shared-on [MUST 1.17+] By default shared containers may use reserved CPUs.
admission-compares-requests [MUST] Admission compares CPU requests with allocatable CPUs only.
keeps-every-pod-off [MUST] With strict-cpu-reservation no workload of any class uses the reserved CPUs.
means-the-explicit-set [MUST] The CPUs meant are those of reservedSystemCPUs.

# nrm/prefer-align-cpus-by-uncorecache 1.32+ prefer-align-cpus-by-uncorecache
one-cache [SHOULD] All CPUs of a container share one uncore cache.
default-may-span-caches [MAY 1.8+] Without it packing may give CPUs of several uncore caches.
  untestable: it permits, and demands nothing
best-effort [SHOULD] It is best effort: as many CPUs as possible come from one uncore cache.
few-caches [SHOULD] Above the size of one uncore cache the number of caches used is minimal.
never-refuses [MUST] A container that cannot be aligned is admitted as long as there are enough CPUs.
falls-back-to-packing [MUST] Such a container is given CPUs by the default packing.
"""
