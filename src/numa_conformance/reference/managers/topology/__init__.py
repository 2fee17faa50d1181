"""The Topology Manager: policies, options, and the merge of provider hints."""

from ..provider import Answer as Answer
from .explain import MergeExplanation as MergeExplanation
from .explain import explain_merge as explain_merge
from .merge import MergedHint as MergedHint
from .merge import axes_of as axes_of
from .options import parse_options as parse_options
from .policy import TopologyPolicy as TopologyPolicy
from .policy import make_topology_policy as make_topology_policy
from .policy import policy_of as policy_of
