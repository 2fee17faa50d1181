"""Admission of pods under every policy: who passes, with which affinity, and what a refusal says.

Page: Control Topology Management Policies on a node, section How topology manager works.
"""

from ...judging.chapter import Chapter, Judgement, applies, judges, recommended_by, rests_on, violated
from ...judging.node_subjects import Admission
from ...judging.pods import GUARANTEED
from ..alignment import ALIGNING, at_once, common_nodes, leaving_a_cpu, one_node_can_give_all
from ..conditions import admitted, fitting, new_pod, refused, under, without_devices, without_pod_resources
from ..outcomes import NOT_ALIGNED, in_words, listed, must_be_admitted

chapter = Chapter(since="1.18")


@chapter.requires("topology-manager/admission/nothing-to-align-is-admitted", "topology-manager/best-effort")
@rests_on("topology/scopes-and-policies/resources-with-hints")
def nothing_to_align_is_admitted(admission: Admission) -> Judgement:
    """A pod that asks for nothing that a manager aligns is admitted under every policy and scope."""
    settings, pod = admission.settings, admission.pod
    new_pod(admission)
    without_pod_resources(admission)
    applies(not (settings.static and pod.exclusive), "the pod asks for CPUs of its own")
    applies(not (settings.memory_static and pod.qos == GUARANTEED), "the pod is given memory of its own")
    without_devices(admission)
    fitting(admission)
    return must_be_admitted(admission, "though it asks for nothing that a manager gives out")


@chapter.requires("topology-manager/admission/admits-what-one-node-holds", "cpu-manager/static")
@rests_on("topology/how/policy-decides", "topology/single-numa-node/one-node-or-refused")
def admits_what_one_node_holds(admission: Admission) -> Judgement:
    """A pod whose CPUs, memory and devices one NUMA node can give together is admitted, under every policy."""
    at_once(admission)
    leaving_a_cpu(admission)
    node = one_node_can_give_all(admission)[0]
    return must_be_admitted(admission, f"though NUMA node {node} has all it asks for")


@chapter.requires(
    "topology-manager/admission/keeps-together-what-one-node-holds",
    "cpu-manager/static",
    "topology-manager/best-effort",
)
@rests_on("nrm/head/aligns-memory", "nrm/head/aligns-cpus-and-devices", "topology/how/hint-is-stored-and-used")
def keeps_together(admission: Admission) -> Judgement:
    """Under a policy that aligns, the CPUs, memory and devices of a pod come from one NUMA node where one can
    give them all.
    """
    under(admission, *ALIGNING)
    at_once(admission)
    admitted(admission)
    one_node_can_give_all(admission)
    why = f"what pod {admission.pod.uid} is given is not together on one NUMA node, though one could give it all"
    return violated(common_nodes(admission), why, got=in_words(admission.held), allowed="one NUMA node for all")


@chapter.requires("topology-manager/admission/uses-the-merged-hint", "node/hints", "topology-manager/best-effort")
@rests_on("topology/how/hint-is-stored-and-used", "topology-source/policies/stored-and-used")
def uses_the_merged_hint(admission: Admission) -> Judgement:
    """The hint that is merged of all managers is the affinity with which a container is given its resources."""
    under(admission, *ALIGNING)
    applies(admission.alignments is not None, "the answers do not say how hints were merged")
    admitted(admission)
    new_pod(admission)
    merged = {merge.container: merge.affinity for merge in admission.alignments or ()}
    wrong = {
        name: held.affinity
        for name, held in admission.held.items()
        if held.affinity is not None and held.affinity != merged.get(name, merged.get(None))
    }
    return violated(
        not wrong,
        f"containers of pod {admission.pod.uid} have other affinities than were merged for them",
        got=", ".join(f"{name}: {listed([affinity])}" for name, affinity in wrong.items()),
        allowed=", ".join(f"{name}: {listed([affinity])}" for name, affinity in merged.items()),
    )


@chapter.requires(
    "topology-manager/admission/aligns-init-containers-first",
    "node/hints",
    "topology-manager/best-effort",
    "topology-manager/scope/container",
    since="1.27",
)
@recommended_by("topology-source/scopes/init-first")
def aligns_init_containers_first(admission: Admission) -> Judgement:
    """In scope container init containers are aligned first, in their order, then app containers."""
    order = [merge.container for merge in admission.alignments or () if merge.container is not None]
    applies(len(order) > 1, "the answers do not say how hints of two containers were merged")
    new_pod(admission)
    wanted = [container.name for container in admission.pod.containers][: len(order)]
    why = f"containers of pod {admission.pod.uid} are aligned in another order than they start in"
    return violated(order == wanted, why, got=", ".join(order), allowed=", ".join(wanted))


@chapter.requires(
    "topology-manager/admission/refuses-what-is-not-admitted", "node/hints", "topology-manager/best-effort"
)
@rests_on("topology/how/policy-decides", "topology/restricted/topology-affinity-error")
def refuses_what_is_not_admitted(admission: Admission) -> Judgement:
    """A pod of which the policy does not admit a merged hint is refused, as a Topology Affinity error."""
    merges = applies(admission.alignments, "the answers do not say how hints were merged")
    new_pod(admission)
    why = f"pod {admission.pod.uid} is admitted though the policy does not admit what was merged for it"
    got = "; ".join(listed([merge.affinity]) for merge in merges)
    return violated(all(merge.admit for merge in merges) or not admission.admitted, why, got=got, allowed="refused")


@judges("topology-manager/admission/refuses-what-is-not-admitted")
def calls_it_an_affinity_error(admission: Admission) -> Judgement:
    """A pod of which the policy does not admit a merged hint is refused as not aligned, whichever container it is."""
    refused(admission)
    new_pod(admission)
    merges = applies(admission.alignments, "the answers do not say how hints were merged")
    applies(not merges[-1].admit, "the policy admits what was merged last")
    why = f"pod {admission.pod.uid} is refused by the policy, for another reason than its alignment"
    return violated(
        admission.reason == NOT_ALIGNED, why, got=f"{admission.reason}: {admission.message}", allowed=NOT_ALIGNED
    )


@chapter.requires("topology-manager/admission/refused-pods-are-terminated", "node/phase", since="1.27")
@recommended_by("topology-source/admission/refused-is-terminated")
def refused_pods_are_terminated(admission: Admission) -> Judgement:
    """A refused pod becomes Terminated."""
    refused(admission)
    new_pod(admission)
    applies(admission.phase is not None, "the pod's phase is not reported")
    return violated(
        admission.phase in ("Failed", "Terminated"),  # the phase in the API, and the word of the page for it
        f"pod {admission.pod.uid} is refused and not terminated",
        got=admission.phase,
        allowed="Failed",
    )


@chapter.requires("topology-manager/admission/says-what-cannot-be-aligned", "topology-manager/restricted", since="1.27")
@recommended_by("topology-source/policies/its-message")
def says_what_cannot_be_aligned(admission: Admission) -> Judgement:
    """The message of a TopologyAffinityError says that resources cannot be allocated with topology locality."""
    refused(admission)
    without_pod_resources(admission)
    applies(admission.reason == NOT_ALIGNED, "the reason is no TopologyAffinityError")
    message = admission.message.lower()
    return violated(
        "resources cannot be allocated" in message and "topology locality" in message,
        f"the message of pod {admission.pod.uid} does not say that resources cannot be allocated with topology "
        "locality",
        got=admission.message,
        allowed="Resources cannot be allocated with Topology locality",
    )
