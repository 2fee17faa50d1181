"""What is judged at every step of a conversation, beside what single cases ask."""

from __future__ import annotations

from .requirement import Family, Requirement

_STATIC = "cpu-manager/static"

_requirement = Family(since="1.8")
_cpu = Family(since="1.8", features=(_STATIC,))
_node = Family(since="1.8", area="cpu-manager lifecycle", features=(_STATIC,))


def _option(id: str, text: str, *, since: str, statements: tuple[str, ...]) -> Requirement:
    return _requirement(
        id,
        text,
        _STATIC,
        id.rpartition("/")[0],
        since=since,
        strength="SHOULD",
        statements=statements,
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "protocol/answers-every-question",
        "Every question is answered, within the time of a call, on every machine.",
        statements=("topology/how/policy-decides",),
        beyond="that the answer comes in time: a pod whose admission never ends is neither accepted nor rejected",
    ),
    _requirement(
        "protocol/answers-are-well-formed",
        "What an answer calls a set of CPUs or NUMA nodes is one, no block of memory is smaller than nothing, and the"
        " containers it names are the pod's.",
        statements=("nrm/static/cpus-are-the-containers-own",),
        beyond="how sets are written and containers are named: the target protocol says it",
    ),
    _requirement(
        "protocol/state-agrees-with-answers",
        "What a node says it holds is what it answered when it gave it.",
        _STATIC,
        statements=("nrm/static/cpus-are-the-containers-own",),
        beyond="that the node tells it alike whenever it is asked",
    ),
    _requirement(
        "protocol/comes-up",
        "A node comes up with a configuration that the pages allow on its machine.",
        _STATIC,
        statements=("cpu-task/options/incompatible-options-fail-the-start",),
        beyond="that options which are not named as incompatible do not keep the node from coming up",
    ),
    _requirement(
        "cpu-manager/none/has-no-preference",
        "Under CPU policy none no policy of the Topology Manager refuses a pod for the CPUs it asks for.",
        "cpu-manager/none",
        "topology-manager/best-effort",
        statements=("topology/interactions/none-gives-the-default-hint",),
        since="1.18",
    ),
    _cpu(
        "cpu-manager/static/gives-free-cpus-only",
        "Exclusive CPUs are taken from those that are free, and from nowhere else.",
        statements=("nrm/static/exclusive-are-all-but-reserved", "nrm/cpus/exclusive-against-other-pods"),
    ),
    _cpu(
        "cpu-manager/static/serves-what-is-free",
        "A request for no more exclusive CPUs than are free is served, where nothing else stands against it.",
        statements=("nrm/static/exclusive-are-all-but-reserved", "nrm/cpus/static-gives-exclusive-cpus"),
    ),
    _cpu(
        "cpu-manager/static/packs-few-cores-in-use",
        "By default CPUs tend to be packed onto as few physical cores as possible, on a machine in use too.",
        statements=("nrm/distribute-cpus-across-cores/default-packs-cores",),
        strength="SHOULD",
    ),
    _cpu(
        "cpu-manager/static/packs-few-numa-nodes-in-use",
        "By default CPUs come from the minimum number of NUMA nodes if possible, on a machine in use too.",
        statements=("nrm/align-by-socket/default-takes-few-nodes",),
        strength="SHOULD",
    ),
    _cpu(
        "cpu-manager/static/apps-have-cpus-of-their-own",
        "The exclusive CPUs of an app container are its own: another app container of its pod does not have them too.",
        statements=("nrm/static/cpus-are-the-containers-own", "nrm/static/cpus-leave-the-pool"),
    ),
    _cpu(
        "cpu-manager/static/keeps-cpus-while-it-runs",
        "A container runs on the exclusive CPUs it was admitted with.",
        statements=("nrm/static/cpus-are-the-containers-own",),
    ),
    _cpu(
        "cpu-manager/static/keeps-cpus-when-admitted-again",
        "A pod that is on the node and admitted again keeps its CPUs.",
        statements=("topology-source/cpu-hints/held-cpus-again", "nrm/static/cpus-are-the-containers-own"),
    ),
    _cpu(
        "cpu-manager/shared-pool/never-empties",
        "The shared pool never becomes empty.",
        statements=("nrm/static/pool-never-empty",),
    ),
    _cpu(
        "cpu-manager/reconcile/sends-what-is-assigned",
        "A cpuset that the reconcile loop sends is the container's own, or the shared pool.",
        "cpu-manager/reconcile",
        statements=("cpu-task/configuration/reconciles-through-the-cri",),
    ),
    _option(
        "cpu-manager/distribute-cpus-across-numa/spreads-evenly-in-use",
        "CPUs are divided evenly over the NUMA nodes needed, on a machine in use too, and in whole cores of two sizes.",
        since="1.23",
        statements=("nrm/distribute-cpus-across-numa/even-in-use",),
    ),
    _option(
        "cpu-manager/align-by-socket/stays-in-one-socket-in-use",
        "What fits one socket comes from one socket, on a machine in use too.",
        since="1.25",
        statements=("nrm/align-by-socket/aligned-at-the-socket",),
    ),
    _option(
        "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache-in-use",
        "What fits the free CPUs of one uncore cache comes from one, on a best-effort basis, on a machine in use too.",
        since="1.32",
        statements=("nrm/prefer-align-cpus-by-uncorecache/best-effort",),
    ),
    _option(
        "cpu-manager/prefer-align-cpus-by-uncorecache/uses-few-caches",
        "What no uncore cache can hold comes from as few as possible.",
        since="1.32",
        statements=("nrm/prefer-align-cpus-by-uncorecache/few-caches",),
    ),
    _requirement(
        "qos/class-is-told-at-admission",
        "The QoS class that is told with an admission is the pod's.",
        "node/qos",
        statements=("nrm/static/example-4-class", "nrm/static/example-2-class", "nrm/static/example-1-class"),
        beyond="that an admission tells the class: the target protocol says it",
    ),
    _requirement(
        "topology-manager/admission/nothing-to-align-is-admitted",
        "A pod that asks for nothing that a manager aligns is admitted under every policy and scope.",
        "topology-manager/best-effort",
        statements=("topology/scopes-and-policies/resources-with-hints",),
        since="1.18",
    ),
    _node(
        "node/admission/admits-again-what-it-admitted",
        "A pod that was admitted is admitted again where no less is free: after others have gone, or a restart.",
        statements=("nrm/static/exclusive-are-all-but-reserved", "topology/how/policy-decides"),
        beyond="that what is left behind, and in which order a machine is told, counts for nothing",
    ),
    _node(
        "node/admission/admits-on-a-larger-machine",
        "A pod that was admitted is admitted on a machine that has further NUMA nodes of the same sizes.",
        statements=("topology/how/policy-decides", "nrm/static/exclusive-are-all-but-reserved"),
        beyond="that further NUMA nodes take nothing away",
    ),
    _node(
        "node/admission/an-init-container-no-larger-changes-nothing",
        "A pod that was admitted is admitted with an init container too that is no larger than its app container.",
        "cpu-manager/init-containers",
        statements=("init-containers/resources/effective-request", "kep-693/total/larger-of-init-and-apps"),
        since="1.18",
    ),
    _requirement(
        "topology-manager/single-numa-node/admits-what-one-node-holds",
        "A pod whose CPUs one NUMA node can give is admitted.",
        "topology-manager/single-numa-node",
        _STATIC,
        statements=("topology/single-numa-node/one-node-or-refused",),
        since="1.18",
    ),
    _requirement(
        "topology-manager/restricted/admits-what-can-be-aligned",
        "A pod whose CPUs as few NUMA nodes as it needs can give is admitted.",
        "topology-manager/restricted",
        _STATIC,
        statements=("topology/restricted/refuses",),
        since="1.18",
        beyond="that a preferred affinity is admitted: the sentence tells of the other case",
    ),
    _requirement(
        "topology-manager/scope/pod/gives-all-containers-one-affinity",
        "In scope pod every container of a pod has the same affinity.",
        "topology-manager/scope/pod",
        statements=("topology/policies/same-for-every-container", "topology/pod/one-set"),
        since="1.20",
    ),
    _requirement(
        "topology-manager/admission/admits-what-one-node-holds",
        "A pod whose CPUs, memory and devices one NUMA node can give together is admitted, under every policy.",
        _STATIC,
        statements=("topology/how/policy-decides", "topology/single-numa-node/one-node-or-refused"),
        since="1.18",
    ),
    _requirement(
        "topology-manager/admission/keeps-together-what-one-node-holds",
        "Under a policy that aligns, the CPUs, memory and devices of a pod come from one NUMA node where one can give "
        "them all.",
        _STATIC,
        "topology-manager/best-effort",
        statements=(
            "nrm/head/aligns-memory",
            "nrm/head/aligns-cpus-and-devices",
            "topology/how/hint-is-stored-and-used",
        ),
        since="1.18",
    ),
    _requirement(
        "topology-manager/restricted/admits-what-several-nodes-hold",
        "A pod is admitted whose CPUs and memory need as many NUMA nodes, where so few of them can give all.",
        "topology-manager/restricted",
        "memory-manager/static",
        statements=("topology/restricted/refuses", "memory/head/hints-and-policy-decide"),
        since="1.21",
        beyond="that a preferred affinity is admitted: the sentence tells of the other case",
    ),
    _requirement(
        "topology-manager/single-numa-node/refuses-what-no-node-holds",
        "A pod is refused when no NUMA node has its CPUs, memory and devices together; the reason is "
        "TopologyAffinityError where the node as a whole has them.",
        "topology-manager/single-numa-node",
        statements=("topology/single-numa-node/one-node-or-refused", "topology/restricted/topology-affinity-error"),
        since="1.18",
    ),
    _requirement(
        "topology-manager/restricted/refuses-what-nothing-prefers",
        "A pod is refused when a resource is free on no set of as few NUMA nodes as it ever needs; the reason is "
        "TopologyAffinityError where the node as a whole has all it asks for.",
        "topology-manager/restricted",
        statements=(
            "topology/restricted/refuses",
            "topology/restricted/topology-affinity-error",
            "topology-source/cpu-hints/size-counts-all-cpus",
        ),
        since="1.18",
    ),
)
