"""Advice on a node's answers: why a pod or a configuration is refused, what would change that, what is unwise."""

from .refusal import Advice, advise, why_never_refused, why_shared
from .refused import Remark, refusals
from .remedies import Remedy
from .unwise import lint

__all__ = ["Advice", "Remark", "Remedy", "advise", "lint", "refusals", "why_never_refused", "why_shared"]
