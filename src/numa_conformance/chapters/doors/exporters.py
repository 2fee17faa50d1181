"""An exporter of NodeResourceTopology: what its objects say of a node. ``cluster check-exporter`` asks it."""

from ...judging.chapter import Chapter

ZONES, COSTS, ATTRIBUTES, CAPACITY, ALLOCATABLE, AVAILABLE, RESOURCES = Chapter(
    since="1.23", command="cluster check-exporter"
).sentences()
