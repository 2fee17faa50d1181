"""Advice on a node's answers: why a pod or a configuration is refused, what would change that, what is unwise."""

from .findings import Finding
from .lint import lint
from .never_refused import why_never_refused
from .refusal import Advice, advise
from .refused import refusals
from .remedies import Remedy
from .shared import why_shared

__all__ = ["Advice", "Finding", "Remedy", "advise", "lint", "refusals", "why_never_refused", "why_shared"]
