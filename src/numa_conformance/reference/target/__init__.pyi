from .living_node import BEYOND, LifeClient, LivingReference
from .reference_target import Level, ReferenceTarget

__all__ = ["BEYOND", "Level", "LifeClient", "LivingReference", "ReferenceTarget"]
