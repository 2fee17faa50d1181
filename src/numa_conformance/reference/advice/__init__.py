"""Advice on a node's answers: why a pod or a configuration is refused, what would change that, what is unwise."""

from .refused_configuration import Remark, refusals
from .refused_pod import NOT_ALIGNED, Advice, advise, why_never_refused, why_shared
from .remedies import Remedy
from .unwise import lint

__all__ = ["NOT_ALIGNED", "Advice", "Remark", "Remedy", "advise", "lint", "refusals", "why_never_refused", "why_shared"]
