"""Schedulers and agents that assign CPUs themselves: what their objects say of pods. ``cluster check-assignments``."""

from ...judging.chapter import Chapter

chapter = Chapter(since="1.24", command="cluster check-assignments")

THERE = chapter.sentence(
    "assignment/cpus/are-of-the-node",
    "CPUs and NUMA nodes that are assigned to a pod are some that its node has.",
    rests_on=("koordinator-cpu/status/allocated-cpus", "volcano-numatopo/allocations/cpuset"),
    beyond="The pages do not say that CPUs which are assigned exist.",
)
APART = chapter.sentence(
    "assignment/cpus/are-of-one-pod",
    "A CPU that is assigned by its number is assigned to one pod.",
    rests_on=("koordinator-cpu/qos/lse-is-exclusive", "koordinator-cpu/qos/lsr-shares-with-be"),
    beyond="Volcano repeats what a kubelet assigns under the policy static; that is exclusive by the kubelet's page.",
)
COUNT = chapter.sentence(
    "assignment/cpus/are-as-many-as-requested",
    "As many CPUs are assigned as are requested; of those that are counted by NUMA node no fewer.",
    rests_on=("koordinator-cpu/status/allocated-cpus", "katalyst-concepts/qos/dedicated-quantity"),
    beyond="That the quantity is the request follows from the word; Katalyst may dedicate a whole NUMA node to a pod.",
)
PLACES = chapter.sentence(
    "assignment/numa-nodes/are-those-of-the-cpus",
    "Where CPUs are assigned by number and by NUMA node, each NUMA node has as many of the numbers as it says.",
    rests_on=("koordinator-api/status/constrained-to-the-node",),
    beyond="The comment says where a pod is to run; that both parts of the annotation agree follows.",
)
ROOM = chapter.sentence(
    "assignment/numa-nodes/have-so-many-cpus",
    "The CPUs that are assigned on a NUMA node are together no more than pods may have there.",
    rests_on=("nrt-api/resources/allocatable", "katalyst-api/zones/quantities"),
    beyond="That no more is assigned than is allocatable follows from the word.",
)
FULL_CORES = chapter.sentence(
    "assignment/full-cores/are-whole",
    "Where full cores are demanded, by a node or by a pod, all CPUs of a core are assigned to one pod.",
    rests_on=("koordinator-cpu/node/full-cores", "koordinator-api/spec/required-or-fails"),
)
SPREAD = chapter.sentence(
    "assignment/spread/is-over-cores",
    "Where it is demanded to spread over cores, by a node or by a pod, no two CPUs of a pod are of a core.",
    rests_on=("koordinator-cpu/node/spread", "koordinator-api/spec/required-or-fails"),
    beyond="The page says evenly, and has one CPU from each core as its example; the scheduler demands just that.",
)
ONE_NODE = chapter.sentence(
    "assignment/single-numa-node/is-one",
    "Under a policy of a single NUMA node all CPUs of a pod are assigned on one.",
    rests_on=("koordinator-cpu/alignment/single", "volcano-numa/policies/as-the-topology-manager"),
    beyond="Volcano aligns containers; only a pod of one container is judged.",
)
