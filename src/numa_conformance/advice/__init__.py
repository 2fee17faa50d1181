"""What to do about a node's answers: why a pod is refused and what would change that, each tried."""

from .refusal import Advice, advise
from .remedies import Remedy

__all__ = ["Advice", "Remedy", "advise"]
