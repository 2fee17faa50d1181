"""The Topology Manager: policies, options, and the merge of provider hints."""

from ..provider import Answer
from .explain import MergeExplanation, explain_merge
from .merge import MergedHint, axes_of
from .options import parse_options
from .policy import TopologyPolicy, make_topology_policy, policy_of

__all__ = ["Answer", "MergeExplanation", "MergedHint", "TopologyPolicy", "axes_of", "explain_merge"]
__all__ += ["make_topology_policy", "parse_options", "policy_of"]
