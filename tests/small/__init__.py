"""A small node allocator of its own: no line of the reference, its own arithmetic of pods, its own packing.

What it does is what the pages say, in other ways than the reference. Alternatives are kinds of it that choose otherwise
and just as well; mutants are kinds of it with one fault.
"""

from .node import Small

__all__ = ["Small"]
