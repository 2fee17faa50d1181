"""Why a wrong form of an answer is legal in its place, or by which mend it is caught one day (``open``)."""

__all__ = ["LEGAL", "NEVER"]

_FRAME = "open: what an event does not name is as it was"
LEGAL: dict[str, str] = {
    r".*: \w+ -> null": "null says that it is not told",
    r".*: null -> \w+": "the reference leaves it out; it is judged with what else a target tells",
    r"allocate: refused -> policy_refused": "both refuse",
    r"allocate .*\.reusable: .*": "compared with the kubelet's at level exact",
    r"allocate .*\.(pod_)?guaranteed_cpus: .*": "compared with the kubelet's at level exact",
    r"allocate allocated\.reserved_cpus: empty -> \w+": "where nothing is reserved nothing is asked",
    r"allocate refused\..*hints.*: .*": "what is hinted before a refusal is asked on the surface hints",
    r"classify\.container_cpus: one -> empty": "a container that is left out has no CPUs of its own",
    r"score scored\.scores\{\}: zero -> positive": "open: shares of resources are judged where the whole is not 0",
    r"score scored\.insufficient: one -> many": "names are judged where one resource alone can be insufficient",
    r"node\..*default_cpuset: empty -> \w+": "under policy none no pool is told",
    r"node\.start started\.allocatable_cpus: .*": "open: nothing reads it",
    r"node\..*memory_state.*": "open: books are judged by what is allocatable, and free after a removal",
    r"node\.(run|state|restart)[ .].*\.affinity.*": "a hint is judged at the admission",
    r"node\.(run|state|restart)[ .].*\.(mems|cpuset|cpu_quota|devices|memory).*": _FRAME,
    r"node\.run started\.containers: \w+ -> empty": _FRAME,
    r"node\.admit rejected\.alignments.*": "a pod may be refused before hints are merged",
    r"node\.reconcile\.(handled|skipped): .*": "a count for people; what is sent is judged",
    r"node\.checkpoints\.(checkpoints|writes).*": "open: a file that is missing is asked for after a restart alone",
    r"plugin\.(start|restart) started\..*": "open: the devices that a plugin lists are its own",
    r"claims\.run: runs -> refused": "a container without a claim may be refused",
    r"claims\.prepare: refused -> prepared": "a driver may prepare what another refuses",
    r"claims\..*\.shared.*": "open: who is told to run, and on no CPU",
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
    r"score .*": "open: the stored histories lack it",
    r"pick .*|merge.*": "open: the stored histories lack it",
}
"""A pattern of ``place form`` to why no stored history of these surfaces has it."""
