"""CPU Manager: sets of CPUs, the machine, its discovery."""

TEXT = """\
# The text of a set of CPUs
CPU-SET-01 [impl] A set is printed in ascending order, runs of two and more as first-last, separated by commas without
  spaces. The empty set is the empty text.
CPU-SET-02 [impl] The text is read item by item, a number or first-last. Overlaps merge. A falling range, a blank, an
  empty item or a trailing comma is an error.

# What the CPU Manager knows of the machine
CPU-TOPO-01 [impl] Every usable CPU has four ids: NUMA node, socket, core, uncore cache. The machine has a total of
  CPUs, cores, sockets, NUMA nodes and uncore caches.
CPU-TOPO-02 [impl] CPUs per core, per socket and per uncore cache are averages of the whole machine, rounded down; 0
  where there is nothing to divide by.
CPU-TOPO-03 [impl] The five totals have sources of their own: CPUs and cores come from discovery, sockets from
  /proc/cpuinfo, NUMA nodes and uncore caches from the CPUs found.
CPU-TOPO-04 [impl] The id of a core is the lowest CPU id among its threads; the kernel's core_id only groups threads.
CPU-TOPO-05 [impl] A machine without CPUs, a core without threads or with a thread twice keeps the kubelet from
  starting.
CPU-TOPO-06 [doc+impl] The machine is read once, at start: CPUs that go offline or come online at run time are not
  supported.

# Reading the machine from sysfs
CPU-DISC-01 [impl] Core and socket of a CPU are read through the folder of its NUMA node. Its caches are read below
  devices/system/cpu.
CPU-DISC-02 [impl] Folders are visited in the order of their names as text (cpu0, cpu1, cpu10, cpu2). A cpu folder
  without a number at its end ends discovery.
CPU-DISC-03 [impl] A CPU is offline when the list of online CPUs cannot be read up to its place. Without such a list
  every CPU is online. Offline CPUs are left out.
CPU-DISC-04 [impl] A core or socket id that is no number, or a malformed meminfo or distance file, ends discovery, and
  no CPU is known.
CPU-DISC-05 [impl] Threads of one NUMA node with equal core_id and physical_package_id are one core. Die and cluster ids
  are not looked at.
CPU-DISC-06 [impl] A core whose threads appear under two NUMA nodes is two cores.
CPU-DISC-07 [impl] The id of a NUMA node is the number of its folder. Nodes without CPUs are unknown to the CPU Manager.
CPU-DISC-08 [impl] The number of CPUs is the number of threads placed in cores.
CPU-DISC-09 [impl] The id of a socket is physical_package_id as it stands.
CPU-DISC-10 [impl] The number of sockets is that of the distinct "physical id" lines of /proc/cpuinfo, else that of
  the distinct package ids of online CPUs.
CPU-DISC-11 [impl] Only caches above level 2 are looked at.
CPU-DISC-12 [impl] A cache shared by as many CPUs as the NUMA node has threads is the node's own and no uncore cache.
  Any other is one.
CPU-DISC-13 [impl] The first cache that cannot be read ends the search for caches in the rest of that NUMA node.
CPU-DISC-14 [impl] The uncore id of a CPU is the id of the first uncore cache of its core. Without one it is the socket
  id.
CPU-DISC-15 [impl] So a machine with one L3 cache per NUMA node, or without cache information, has one uncore cache
  per socket, whatever its hardware.
CPU-DISC-16 [impl] Without any folder of a NUMA node the CPUs are read from devices/system/cpu.
CPU-DISC-17 [impl] Then each socket counts as one NUMA node whose id is the socket's.
CPU-DISC-18 [impl] Then the number of CPUs is that of the cpu folders, offline ones included.
CPU-DISC-19 [impl] Then, if no CPU tells its socket, no CPU is known, and policy static fails at its reservation.
"""
