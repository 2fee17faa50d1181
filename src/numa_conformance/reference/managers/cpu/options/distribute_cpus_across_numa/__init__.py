"""``distribute-cpus-across-numa``: where more than one NUMA node is needed CPUs are spread over them evenly.

https://v1-32.docs.kubernetes.io/docs/concepts/policy/node-resource-managers/#distribute-cpus-across-numa

- ``shares``: an even share from each of as few NUMA nodes as possible, then what remains, group by group (CPU-DIST).
- ``search``: which nodes these are: those that leave the most even balance (``balance``).
- ``by_socket``: the same search where nodes of one socket are preferred.
- ``subset_by_subset``: the same search without any shortcut, for machines where a node spans sockets.

The kubelet's departures stand at the end of ``shares`` and ``search``; ``balance`` finds out whether it hangs.
"""

from .shares import Distribution as Distribution
