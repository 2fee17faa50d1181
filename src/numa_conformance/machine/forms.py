"""The two forms in which machines are written: CPU by CPU, and by counts or groups.

Their reader and their JSON Schemas are both made of these classes.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from ..cpuset import MAX_ID

MAX_CPUS = 8192
MAX_NODES = 1024
MAX_DEVICES = 65_536
_LARGEST = 2**31 - 1
"""Highest core, socket and cache id, and distance: firmware tables may give offsets in place of small numbers."""
_MAX_BYTES = 2**63 - 1
PAGE_SIZES = "a page size such as 2Mi or 1Gi"
SIZES = "bytes, or a size such as 64Gi"

SIZE = r"[0-9]{1,15}(\.[0-9]{1,9})?(Ki|Mi|Gi|Ti|Pi)"
PAGE_SIZE = "[1-9][0-9]{0,6}(Ki|Mi|Gi|Ti)"
_ID_LIST = "([0-9]{1,7}(-[0-9]{1,7})?(,[0-9]{1,7}(-[0-9]{1,7})?)*)?"


def _like(form: str) -> Meta:
    """Say which texts are accepted; whoever uses the text checks it.

    msgspec's own ``pattern`` lets the interpreter crash as it ends (msgspec issue 717).
    """
    return Meta(extra_json_schema={"pattern": f"^{form}$"}, extra={"like": form})


def _note(description: str, accepted: str = "") -> Meta:
    """Say in the schema what a field is, and in errors what is accepted."""
    return Meta(description=description, extra={"accepted": accepted} if accepted else None)


Id = Annotated[int, Meta(ge=0, le=MAX_ID)]
LargeId = Annotated[int, Meta(ge=0, le=_LARGEST)]
Socket = Annotated[int, Meta(ge=-1, le=_LARGEST)]
Whole = Annotated[int, Meta(ge=0, le=_MAX_BYTES)]
Nodes = Annotated[int, Meta(ge=1, le=MAX_NODES)]
Cores = Annotated[int, Meta(ge=1, le=MAX_CPUS)]
Threads = Annotated[int, Meta(ge=1, le=32)]
Devices = Annotated[int, Meta(ge=1, le=4096)]
Name = Annotated[str, Meta(min_length=1)]
Texts = Annotated[list[str], Meta(max_length=1000)]
NodeIds = Annotated[list[Id], Meta(max_length=MAX_NODES)]
PluginNode = Annotated[int, Meta(ge=-1, le=MAX_ID)]
PluginNodes = Annotated[list[PluginNode], Meta(max_length=MAX_NODES)]
IdList = Annotated[str, Meta(extra_json_schema={"pattern": f"^{_ID_LIST}$"})]
Ids = Annotated[Id | IdList, Meta(extra={"accepted": "an id, or ids in list format such as 0-3,8"})]
Size = Annotated[Whole | Annotated[str, _like(SIZE)] | None, Meta(extra={"accepted": SIZES})]
PageSize = Annotated[str, _like(PAGE_SIZE), Meta(extra={"accepted": PAGE_SIZES})]
Pages = dict[PageSize, Whole]
Row = Annotated[list[LargeId], Meta(max_length=MAX_NODES)]
Matrix = Annotated[list[Row], Meta(max_length=MAX_NODES)]
Numbering = Literal[
    "siblings-offset", "siblings-adjacent", "siblings-offset-in-socket", "sockets-alternate", "nodes-alternate"
]


class _Form(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    pass


class CpuForm(_Form):
    """An online CPU."""

    id: Annotated[Id, _note("The kernel's number.")]
    socket: Annotated[Socket, _note("Physical package.")]
    numa: Annotated[Id, _note("NUMA node.")]
    core: Annotated[LargeId | None, _note("Core, within NUMA node and socket; null where unknown.")] = None
    uncore: Annotated[LargeId | None, _note("Last-level cache, over the whole machine; null where there is none.")] = (
        None
    )


class MemoryForm(_Form):
    """The memory of a NUMA node."""

    node: Id
    memory: Annotated[Whole | None, _note("Bytes, huge pages included; null where unknown.")] = None
    hugepages: Annotated[Pages | None, _note("Page size to number of pages.")] = None


class DeviceForm(_Form):
    """A device of a device plugin."""

    resource: Name
    id: Name
    numa: Annotated[
        PluginNodes | None,
        _note(
            "NUMA nodes the plugin names, none where it gives no topology. Nothing checks that the "
            "machine has them: neither does the kubelet, for which -1 is one too (DEV-MODEL-09)."
        ),
    ] = None
    healthy: bool = True


class PluginForm(_Form):
    """What a device plugin does."""

    preferred_allocation: Annotated[
        Literal["lowest-id"] | None, _note("lowest-id prefers the lowest ids in string order.", "lowest-id or null")
    ] = None


Plugins = Annotated[
    dict[str, PluginForm | None] | None,
    _note("Resource to what its device plugin does; without a device of it the plugin offers nothing."),
]
Offline = Annotated[Ids | None, _note("CPUs that exist and are offline, in list format.")]
UncoreSource = Annotated[
    Literal["hardware", "reported"],
    _note("Whether `uncore` is the cache itself, or already what a node agent reports of it."),
]


class MachineForm(_Form):
    """The form on the wire and in recorded decisions."""

    name: Name
    cpus: Annotated[
        list[CpuForm],
        Meta(
            min_length=1,
            max_length=MAX_CPUS,
            description="The online CPUs.",
            extra={"accepted": "a list; a regular machine has `sockets` and its like in its place"},
        ),
    ]
    memory: Annotated[
        list[MemoryForm], Meta(max_length=MAX_NODES, description="Every NUMA node, ascending, with or without CPUs.")
    ]
    distances: Annotated[
        Matrix | None, _note("Rows and columns in the order of `memory`; null where the machine states none.")
    ] = None
    devices: Annotated[list[DeviceForm], Meta(max_length=MAX_DEVICES)] | None = None
    device_plugins: Plugins = None
    offline: Offline = None
    uncore_source: UncoreSource = "hardware"
    description: str | None = None
    notes: Annotated[Texts | None, _note("Facts worth knowing, warnings of the reader that made this.")] = None


class RunsForm(_Form):
    """A last-level cache for each run of cores."""

    cores: Cores
    within: Literal["numa", "socket", "machine"] = "numa"


class GroupForm(_Form):
    """CPUs that are alike."""

    cpus: Annotated[Ids, _note("The CPUs of the group.")]
    numa: Id = 0
    socket: Socket = 0
    threads: Annotated[Threads, _note("Threads of each core of the group.")] = 1
    siblings: Annotated[
        Literal["offset", "adjacent"] | UnsetType,
        _note(
            "Which CPUs share a core: the first of each run (offset, as 0,28 of 0-13,28-41; where it is absent too), "
            "or those that stand together (adjacent)."
        ),
    ] = UNSET
    uncore: LargeId | None = None


class MemoryOnlyForm(_Form):
    """NUMA nodes without CPUs."""

    nodes: Annotated[Ids, _note("The nodes.")]
    near: Annotated[Ids | None, _note("The node with CPUs that each lies at: one for all, or as many.")] = None
    memory: Annotated[Size | list[Size], _note("Of each node: one size, or one each.", SIZES)] = None
    hugepages: Annotated[Pages | None, _note("Of each node: page size to number of pages.")] = None


class DistancesForm(_Form):
    """Distances by relation, where no matrix is given."""

    itself: Annotated[LargeId, _note("To the node itself.")] = msgspec.field(name="self", default=10)
    socket: Annotated[LargeId, _note("To another node of the socket.")] = 12
    remote: Annotated[LargeId, _note("To another socket.")] = 20
    near: Annotated[
        LargeId | None, _note("From a node without CPUs to the one it lies at; as `socket` where it is absent.")
    ] = None


class CompactDeviceForm(_Form):
    """One device by its id, or several that are numbered."""

    resource: Name
    id: Name | None = None
    count: Annotated[Devices | None, _note("So many of one kind, numbered.")] = None
    per_numa: Annotated[Devices | None, _note("So many on each NUMA node with CPUs, numbered.")] = None
    numa: PluginNode | PluginNodes | None = None
    healthy: bool = True


class CompactForm(_Form):
    """The form people write."""

    name: Name
    sockets: Annotated[Nodes, _note("Sockets of the machine.")] = 1
    numa_per_socket: Annotated[Nodes, _note("NUMA nodes in a socket.")] = 1
    sockets_per_numa: Annotated[Nodes, _note("Sockets in a NUMA node; not beside numaPerSocket.")] = 1
    cores_per_numa: Annotated[
        Cores | Annotated[list[Cores], Meta(min_length=1, max_length=MAX_NODES)] | UnsetType,
        _note(
            "Cores of a NUMA node: one number, or one for each node.",
            f"a whole number from 1 to {MAX_CPUS}, or one for each NUMA node",
        ),
    ] = UNSET
    threads: Annotated[Threads, _note("Threads of a core.")] = 1
    numbering: Annotated[
        Numbering,
        _note(
            "How CPU ids are dealt out: all first threads, then all second ones (siblings-offset, the "
            "same within each socket in turn, alternating over sockets or NUMA nodes), or core by core "
            "(siblings-adjacent)."
        ),
    ] = "siblings-offset"
    uncore: Annotated[
        Literal["none", "numa", "socket", "machine"] | RunsForm,
        _note(
            "The last-level caches: one for each of something, or for each run of cores within it.",
            "none, numa, socket, machine, {cores: 8}",
        ),
    ] = "none"
    cpu_ids: Annotated[Ids | None, _note("The CPU ids to deal out, ascending, where they are not 0, 1, 2 ...")] = None
    numa_ids: Annotated[
        NodeIds | None, _note("The ids of the NUMA nodes, socket by socket, where they are not 0, 1, 2 ...")
    ] = None
    socket_ids: Annotated[NodeIds | None, _note("The ids of the sockets, where they are not 0, 1, 2 ...")] = None
    groups: Annotated[
        Annotated[list[GroupForm], Meta(min_length=1, max_length=MAX_CPUS)] | UnsetType,
        _note("CPUs that are alike, where counts do not say it."),
    ] = UNSET
    memory: Annotated[
        Size | Annotated[list[Size], Meta(max_length=MAX_NODES)],
        _note("Of each NUMA node with CPUs, huge pages included: one size, or one each by ascending id.", SIZES),
    ] = None
    hugepages: Annotated[
        Pages | Annotated[list[Pages | None], Meta(max_length=MAX_NODES)] | None,
        _note("Of each NUMA node with CPUs, or one entry for each."),
    ] = None
    memory_only_nodes: Annotated[
        Annotated[list[MemoryOnlyForm], Meta(max_length=MAX_NODES)] | None, _note("NUMA nodes without CPUs.")
    ] = None
    distances: Annotated[
        Literal["none"] | Matrix | DistancesForm,
        _note(
            "A matrix by ascending node id; or the distances by relation; or none where the machine states none.",
            "none, a matrix, an object",
        ),
    ] = msgspec.field(default_factory=DistancesForm)
    devices: Annotated[list[CompactDeviceForm], Meta(max_length=MAX_DEVICES)] | None = None
    device_plugins: Plugins = None
    offline: Offline = None
    uncore_source: UncoreSource = "hardware"
    description: str | None = None
    sources: Annotated[Texts | None, _note("Where the facts are from.")] = None
    assumed: Annotated[Texts | None, _note("What is not confirmed by a source.")] = None
    notes: Texts | None = None
