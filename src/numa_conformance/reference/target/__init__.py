"""The reference as a target: it answers every surface of the contract."""

from ...lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "reference.target.living_node": "BEYOND LifeClient LivingReference",
        "reference.target.reference_target": "Level ReferenceTarget",
    },
)
