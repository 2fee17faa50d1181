"""A hidden option of the Topology Manager that takes effect, and one that does not."""

from functools import partial

from ..generators.workloads import kubelet
from ..generators.worlds import started
from . import start_options as chapter

HIDDEN = {
    "topologyManagerPolicy": "restricted",
    "topologyManagerPolicyOptions": {"max-allowable-numa-nodes": "true"},
    "featureGates": {"TopologyManagerPolicyOptions": False},
}
WITH_TWELVE_NODES = partial(started, "twelve-numa-nodes", kubelet(**HIDDEN))

PAIRS = {chapter.options_need_their_gates: (WITH_TWELVE_NODES(), WITH_TWELVE_NODES(up=False))}
