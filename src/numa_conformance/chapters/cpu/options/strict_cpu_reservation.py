"""strict-cpu-reservation. Page: Node Resource Managers; how the pool is divided is judged where pools are."""

from ....judging.chapter import Chapter
from .maturity import maturity

chapter = Chapter("cpu-manager/static", "cpu-manager/strict-cpu-reservation", since="1.32", area="cpu-manager options")
maturity(
    chapter,
    "strict-cpu-reservation",
    available="cpu-manager/strict-cpu-reservation/is-available",
    hidden="cpu-manager/strict-cpu-reservation/stays-hidden",
    placements="exact/placements/strict-cpu-reservation",
)
