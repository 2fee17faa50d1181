"""Why a wrong form of an answer is legal in its place: no sentence forbids it."""

__all__ = ["LEGAL", "NEVER"]

_FILES = "no page says that files are told; what a node makes of those it is left is judged at restarts and crashes"
_COUNTERS = "no page speaks of it: what can be given and what is free is judged; compared at level exact"
LEGAL: dict[str, str] = {
    r".*: \w+ -> null": "null says that it is not told",
    r".*: null -> \w+": "the reference leaves it out; it is judged with what else a target tells",
    r"allocate: refused -> policy_refused": "both refuse",
    r"allocate .*\.reusable: .*": "compared with the kubelet's at level exact",
    r"allocate .*\.(pod_)?guaranteed_cpus: .*": "compared with the kubelet's at level exact",
    r"allocate allocated\.reserved_cpus: empty -> \w+": "where nothing is reserved nothing is asked",
    r"allocate refused\..*hints.*: .*": "what is hinted before a refusal is asked on the surface hints",
    r"classify\.container_cpus: one -> empty": "a container that is left out has no CPUs of its own",
    r"score scored\.scores\{\}: zero -> positive": "the pages score a resource by a shape alone",
    r"score scored\.insufficient: one -> many": "names are judged where one resource alone can be insufficient",
    r"node\..*default_cpuset: empty -> \w+": "under policy none no pool is told",
    r"node\.start started\.memory_state\[\]\.(assignments|group|tables\{\}\.(total|system_reserved)): .*": _COUNTERS,
    r"node\.start started\.memory_state: one -> many": "a NUMA node that is told twice alike is told",
    r"node\.(run|state|restart)[ .].*\.affinity.*": "a hint is judged at the admission",
    r"node\.(state|restart)[ .].*\.mems: .*": "only pinned memory keeps to NUMA nodes by the pages, where it is judged",
    r"node\.admit rejected\.alignments.*": "a pod may be refused before hints are merged",
    r"node\.reconcile\.updates\[\]\.cpus: many -> one": "a shared container may be kept to a part of the pool",
    r"node\.reconcile\.(handled|skipped): .*": "a count for people; what is sent is judged",
    r"node\.checkpoints\.(checkpoints|writes).*": _FILES,
    r"plugin\.\w+ started\.(devices: one -> \w+|devices: many -> empty|prefers: .*)": "the plugin decides",
    r"plugin\.start started\.devices\[\]\.nodes: \w+ -> empty": "a device may be near no NUMA node",
    r"claims\.run: runs -> refused": "a container without a claim may be refused",
    r"claims\.prepare: refused -> prepared": "a driver may prepare what another refuses",
    r"claims\..*\.shared: one -> many": "a container that nobody asked for may run too",
    r"claims\..*\.shared\{\}: many -> one": "which of the CPUs that claims leave it may run on no page says",
    r"claims\.prepare prepared\.shared\{\}: one -> empty": "no page says what becomes of it where no CPU is left",
}
"""A pattern of ``place: right form -> wrong form`` to its reason."""

NEVER: dict[str, str] = {
    r"classify\.container_cpus empty": "a pod has a container",
    r"hints\.hints (empty|many)": "one resource is asked for: cpu",
    r"hints\.hints\{\} null": "no opinion on a resource is no opinion at all",
    r"hints\.hints\{\}\[\]\.nodes null": "a hint for exclusive CPUs names NUMA nodes",
    r".*\.nodes empty": "a hint that names no NUMA node has null",
    r"pick refused\.reason text": "the reference gives a reason of a pod alone",
    r"score scored\.insufficient many": "no stored history has several; generated ones do",
    r"score scored\.(score|scores) null": "the reference scores, and tells how each resource does",
    r"score scored\.scores empty": "a strategy counts a resource that the node has",
}
"""A pattern of ``place form`` to why no stored history of these surfaces has it."""
