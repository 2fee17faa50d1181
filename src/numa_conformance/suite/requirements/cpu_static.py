"""CPU Manager policies none and static, the shared pool, the reservation."""

from __future__ import annotations

from .requirement import Family, Requirement

_requirement = Family(since="1.8", features=("cpu-manager/static",))
_none = Family(since="1.8", features=("cpu-manager/none",))

REQUIREMENTS: tuple[Requirement, ...] = (
    _none(
        "cpu-manager/none/gives-no-exclusive-cpus",
        "Under policy none no container has CPUs of its own.",
        statements=("nrm/cpus/none-gives-no-affinity",),
    ),
    _none(
        "cpu-manager/none/needs-no-reservation",
        "Under policy none the node comes up without any CPU reservation.",
        statements=("cpu-task/none/needs-nothing", "nrm/static/needs-a-reservation"),
    ),
    _requirement(
        "cpu-manager/static/integral-guaranteed-is-exclusive",
        "A container of a Guaranteed pod with an integral CPU request has exactly that many CPUs of its own.",
        statements=(
            "nrm/cpus/static-gives-exclusive-cpus",
            "nrm/static/as-many-as-the-limit",
            "nrm/static/example-4-placement",
            "cpu-1.8/static/example-placements",
            "nrm/full-pcpus-only/default-gives-threads",
            "cpu-1.8/static/as-many-as-the-limit",
        ),
    ),
    _requirement(
        "cpu-manager/static/exclusive-cpus-leave-the-shared-pool",
        "Exclusive CPUs are not in the shared pool while their container has them.",
        statements=("nrm/static/cpus-leave-the-pool",),
    ),
    _requirement(
        "cpu-manager/static/exclusive-cpus-belong-to-one-pod",
        "No CPU is exclusive to containers of two pods.",
        statements=("nrm/cpus/exclusive-against-other-pods", "cpu-1.8/static/exclusive-against-other-pods"),
    ),
    _requirement(
        "cpu-manager/static/fractional-guaranteed-is-shared",
        "A container of a Guaranteed pod with a fractional CPU request runs in the shared pool.",
        statements=("nrm/static/fractional-is-shared", "nrm/static/example-5-placement"),
    ),
    _requirement(
        "cpu-manager/static/burstable-is-shared",
        "Containers of Burstable pods run in the shared pool, whatever they request.",
        statements=(
            "nrm/static/burstable-is-shared",
            "nrm/static/example-2-placement",
            "nrm/static/example-3-placement",
            "cpu-1.8/static/example-placements",
        ),
    ),
    _requirement(
        "cpu-manager/static/best-effort-is-shared",
        "Containers of BestEffort pods run in the shared pool.",
        statements=(
            "nrm/static/best-effort-is-shared",
            "nrm/static/example-1-placement",
            "cpu-1.8/static/example-placements",
        ),
    ),
    _requirement(
        "cpu-manager/static/limits-alone-make-guaranteed",
        "Where only limits are given requests default to them: such a pod is Guaranteed and gets exclusive CPUs.",
        statements=(
            "nrm/static/example-6-class",
            "nrm/static/example-6-placement",
            "nrm/static/requests-default-to-limits",
        ),
    ),
    _requirement(
        "cpu-manager/static/sidecars-and-init-containers-are-eligible",
        "Init containers and sidecars of a Guaranteed pod get exclusive CPUs for integral requests, as others do.",
        "cpu-manager/init-containers",
        statements=("nrm/cpus/static-gives-exclusive-cpus", "sidecars/kubernetes/are-init-containers"),
    ),
    _requirement(
        "cpu-manager/static/init-cpus-serve-later-containers",
        "CPUs of an init container that has ended serve the later containers of its pod: a pod whose init and app "
        "containers each fit the free CPUs is admitted.",
        "cpu-manager/init-containers",
        statements=("init-containers/resources/effective-request", "topology-source/cpu-hints/reusable"),
        beyond=(
            "The pages give a pod's effective request; that its init containers' CPUs serve the later ones only the "
            "source says."
        ),
    ),
    _requirement(
        "cpu-manager/static/refuses-what-is-not-free",
        "A pod that asks for more exclusive CPUs than are free is refused, and holds nothing.",
        statements=(
            "nrm/static/exclusive-are-all-but-reserved",
            "topology-source/admission/errors-refuse",
            "topology-source/admission/allocation-errors-refuse",
        ),
    ),
    _requirement(
        "cpu-manager/static/packs-whole-cores",
        "On an empty machine a request of whole cores is given whole physical cores.",
        statements=("nrm/distribute-cpus-across-cores/default-packs-cores", "nrm/full-pcpus-only/default-is-best-fit"),
    ),
    _requirement(
        "cpu-manager/static/packs-few-numa-nodes",
        "On an empty machine one NUMA node is filled before the next is begun, or the fewest are used.",
        statements=(
            "nrm/distribute-cpus-across-numa/default-fills-one-node",
            "nrm/distribute-cpus-across-numa/default-spills-over",
            "nrm/align-by-socket/default-aligns-at-numa",
            "nrm/align-by-socket/default-takes-few-nodes",
        ),
    ),
    _requirement(
        "cpu-manager/shared-pool/holds-all-cpus-at-first",
        "At the start the shared pool holds every CPU, the reserved ones included.",
        statements=("nrm/static/pool-holds-all-cpus-at-first", "cpu-1.8/static/pool-holds-all-cpus-at-first"),
    ),
    _requirement(
        "cpu-manager/shared-pool/regains-cpus-on-removal",
        "When a pod is gone its exclusive CPUs are in the shared pool again.",
        statements=("nrm/static/cpus-leave-the-pool",),
        beyond="No page says when the CPUs of a removed pod return.",
    ),
    _requirement(
        "cpu-manager/shared-pool/loses-nothing",
        "Shared pool and exclusive CPUs together are all CPUs at every moment.",
        statements=("nrm/static/pool-holds-all-cpus-at-first", "nrm/static/cpus-leave-the-pool"),
    ),
    _requirement(
        "cpu-manager/reservation/is-never-exclusive",
        "Reserved CPUs are never given to a container exclusively.",
        statements=(
            "nrm/static/exclusive-are-all-but-reserved",
            "nrm/strict-cpu-reservation/default-keeps-exclusive-off",
        ),
    ),
    _requirement(
        "cpu-manager/reservation/stays-in-the-shared-pool",
        "Reserved CPUs stay in the shared pool unless strict-cpu-reservation is on.",
        statements=("nrm/static/pool-holds-all-cpus-at-first", "nrm/strict-cpu-reservation/default-lets-shared-on"),
    ),
    _requirement(
        "cpu-manager/reservation/must-be-positive",
        "The node does not come up with policy static and no CPU reserved.",
        statements=(
            "nrm/static/needs-a-reservation",
            "cpu-task/static/needs-a-reservation",
            "cpu-1.8/static/needs-a-reservation",
        ),
    ),
    _requirement(
        "cpu-manager/reservation/rounds-up",
        "A reservation that is no whole number of CPUs is rounded up to the next.",
        statements=("nrm/static/reserved-in-whole-cpus",),
        beyond="The page takes whole CPUs and does not say which way a fraction goes.",
    ),
    _requirement(
        "cpu-manager/reservation/adds-kube-and-system",
        "The number of reserved CPUs is that of kubeReserved and systemReserved together.",
        statements=(
            "nrm/static/every-reservation-counts",
            "reserve/kube/kube-reserved",
            "reserve/system/system-reserved",
            "cpu-1.8/static/reservation-is-the-sum",
        ),
    ),
    _requirement(
        "cpu-manager/reservation/explicit-list-is-taken",
        "reservedSystemCPUs names the reserved CPUs, in place of what kubeReserved and systemReserved say about cpu.",
        statements=(
            "reserve/list/explicit-set",
            "reserve/list/takes-precedence",
            "cpu-task/static/explicit-list-comes-first",
            "nrm/strict-cpu-reservation/reserved-set",
            "nrm/static/every-reservation-counts",
            "kubelet-reference/configuration/reserved-system-cpus",
        ),
        since="1.17",
    ),
    _requirement(
        "cpu-manager/reservation/explicit-list-must-exist",
        "The node does not come up with CPUs in reservedSystemCPUs that are not online.",
        statements=("reserve/list/explicit-set",),
        since="1.17",
        beyond="No page says what becomes of a list with CPUs that are not online.",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/policy/unknown-is-refused",
        "The node does not come up with a CPU Manager policy other than none and static.",
        statements=(
            "kubelet-reference/configuration/cpu-policies",
            "cpu-task/configuration/policies",
            "nrm/cpus/two-policies",
        ),
        strength="SHOULD",
        beyond="The pages name two policies and say nothing of others.",
    ),
)
