"""CPU Manager policies none and static, the shared pool, the reservation."""

from __future__ import annotations

from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_PAGE = "Node Resource Managers"
_TASK = "Control CPU Management Policies on the Node"
_RESERVE = "Reserve Compute Resources for System Daemons"
_STATIC = "cpu-manager/static"


def _requirement(
    id: str, text: str, *features: str, page: str = _PAGE, section: str = "Static policy", since: str = "1.8"
) -> Requirement:
    return Requirement(
        id=f"cpu-manager/{id}",
        text=text,
        page=page,
        section=section,
        since=since,
        features=features or (_STATIC,),
        area="cpu-manager",
    )


REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "none/gives-no-exclusive-cpus",
        "Under policy none no container has CPUs of its own.",
        "cpu-manager/none",
        section="None policy",
    ),
    _requirement(
        "none/needs-no-reservation",
        "Under policy none the node comes up without any CPU reservation.",
        "cpu-manager/none",
        section="None policy",
    ),
    _requirement(
        "static/integral-guaranteed-is-exclusive",
        "A container of a Guaranteed pod with an integral CPU request has exactly that many CPUs of its own.",
    ),
    _requirement(
        "static/exclusive-cpus-leave-the-shared-pool",
        "Exclusive CPUs are not in the shared pool while their container has them.",
    ),
    _requirement(
        "static/exclusive-cpus-belong-to-one-pod",
        "No CPU is exclusive to containers of two pods.",
    ),
    _requirement(
        "static/fractional-guaranteed-is-shared",
        "A container of a Guaranteed pod with a fractional CPU request runs in the shared pool.",
    ),
    _requirement(
        "static/burstable-is-shared",
        "Containers of Burstable pods run in the shared pool, whatever they request.",
    ),
    _requirement(
        "static/best-effort-is-shared",
        "Containers of BestEffort pods run in the shared pool.",
    ),
    _requirement(
        "static/limits-alone-make-guaranteed",
        "Where only limits are given requests default to them: such a pod is Guaranteed and gets exclusive CPUs.",
    ),
    _requirement(
        "static/sidecars-and-init-containers-are-eligible",
        "Init containers and sidecars of a Guaranteed pod get exclusive CPUs for integral requests, as others do.",
        _STATIC,
        "cpu-manager/init-containers",
    ),
    _requirement(
        "static/init-cpus-serve-later-containers",
        "CPUs of an init container that has ended serve the later containers of its pod: a pod whose init and app "
        "containers each fit the free CPUs is admitted.",
        _STATIC,
        "cpu-manager/init-containers",
    ),
    _requirement(
        "static/refuses-what-is-not-free",
        "A pod that asks for more exclusive CPUs than are free is refused, and holds nothing.",
    ),
    _requirement(
        "static/packs-whole-cores",
        "On an empty machine a request of whole cores is given whole physical cores.",
        section="Static policy options",
    ),
    _requirement(
        "static/packs-few-numa-nodes",
        "On an empty machine a request that one NUMA node can hold comes from one NUMA node: CPUs are packed.",
        section="Static policy options",
    ),
    _requirement(
        "shared-pool/holds-all-cpus-at-first",
        "At the start the shared pool holds every CPU, the reserved ones included.",
    ),
    _requirement(
        "shared-pool/regains-cpus-on-removal",
        "When a pod is gone its exclusive CPUs are in the shared pool again.",
    ),
    _requirement(
        "shared-pool/loses-nothing",
        "Shared pool and exclusive CPUs together are all CPUs at every moment.",
    ),
    _requirement(
        "reservation/is-never-exclusive",
        "Reserved CPUs are never given to a container exclusively.",
        section="Static policy configuration",
    ),
    _requirement(
        "reservation/stays-in-the-shared-pool",
        "Reserved CPUs stay in the shared pool unless strict-cpu-reservation is on.",
        section="Static policy configuration",
    ),
    _requirement(
        "reservation/must-be-positive",
        "The node does not come up with policy static and no CPU reserved.",
        section="Static policy configuration",
    ),
    _requirement(
        "reservation/rounds-up",
        "A reservation that is no whole number of CPUs is rounded up to the next.",
        section="Static policy configuration",
    ),
    _requirement(
        "reservation/adds-kube-and-system",
        "The number of reserved CPUs is that of kubeReserved and systemReserved together.",
        section="Static policy configuration",
    ),
    _requirement(
        "reservation/explicit-list-is-taken",
        "reservedSystemCPUs names the reserved CPUs, in place of what kubeReserved and systemReserved say about cpu.",
        page=_RESERVE,
        section="Explicitly reserved CPU list",
        since="1.17",
    ),
    _requirement(
        "reservation/explicit-list-must-exist",
        "The node does not come up with CPUs in reservedSystemCPUs that are not online.",
        page=_RESERVE,
        section="Explicitly reserved CPU list",
        since="1.17",
    ),
    _requirement(
        "policy/unknown-is-refused",
        "The node does not come up with a CPU Manager policy other than none and static.",
        page=_TASK,
        section="Configuring CPU management policies",
    ),
)
