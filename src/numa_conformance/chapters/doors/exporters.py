"""An exporter of NodeResourceTopology: what its objects say of a node. ``cluster check-exporter`` asks it."""

from ...judging.chapter import Chapter

chapter = Chapter(since="1.23", command="cluster check-exporter")

ZONES = chapter.sentence(
    "exporter/zones/are-the-numa-nodes",
    "Each NUMA node is one zone, of type Node and named node-N; there are no others of that type.",
    rests_on=("nfd-objects/zones/parts-of-the-topology",),
    beyond="The page says what zones are; how exporters name and call those of NUMA nodes it does not say.",
)
COSTS = chapter.sentence(
    "exporter/costs/are-the-distances",
    "The costs of a zone, where it has some, are the distances that the kernel reports, one for each NUMA node.",
    rests_on=("nrt-api/costs/distance",),
)
ATTRIBUTES = chapter.sentence(
    "exporter/attributes/tell-policy-and-scope",
    "The attributes topologyManagerPolicy and topologyManagerScope, where reported, are the kubelet's.",
    rests_on=("nrt-api/attributes/instead-of-policies",),
    beyond="No page says what these two attributes mean; their names do.",
)
CAPACITY = chapter.sentence(
    "exporter/capacity/is-what-the-node-has",
    "The capacity of a resource in a zone is all that the NUMA node has; unhealthy devices may be left out.",
    rests_on=("nrt-api/resources/capacity",),
)
ALLOCATABLE = chapter.sentence(
    "exporter/allocatable/is-what-pods-can-have",
    "What is allocatable in a zone is what the kubelet gives to pods there, without what is reserved.",
    rests_on=("nrt-api/resources/allocatable",),
)
AVAILABLE = chapter.sentence(
    "exporter/available/is-what-is-left",
    "What is available in a zone is what is allocatable there less what containers hold of their own.",
    rests_on=("nrt-api/resources/available",),
)
RESOURCES = chapter.sentence(
    "exporter/resources/are-all-told",
    "What the kubelet gives out by NUMA node is reported in its zone: CPUs, memory, huge pages, devices.",
    rests_on=("nfd-updater/head/cpus-memory-and-devices",),
)
