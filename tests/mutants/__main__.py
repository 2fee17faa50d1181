"""``python -m mutants``: prints the page docs/mutants.md."""

from __future__ import annotations

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.chapter import CHECKERS

from . import MUTANTS

__all__ = ["IN_PAIRS", "mutants_page"]

IN_PAIRS = {check.requirement for check in CHECKERS}
"""The requirements whose judges each have a pair: ``tests/suite/test_pairs.py`` sees them break."""


def mutants_page() -> str:
    """Return ``docs/mutants.md``: the requirements, and who breaks them."""
    exact = sum(mutant.level == "exact" for mutant in MUTANTS.values())
    broken = {name for mutant in MUTANTS.values() for name in mutant.breaks}
    lines = [
        "# Mutants",
        "",
        "A requirement that no allocator can fail is not tested. So every one is seen to break, in one of two ways. "
        "A *mutant* is an allocator that is right but for one fault, and a test of the project shows that the suite "
        "finds it. Or there is a wrong answer in the pair of its judge, `conformance/pairs/`.",
        "",
        f"{len(MUTANTS)} mutants, {exact} of them at level `exact`, break {len(broken)} of {len(REQUIREMENTS)} "
        "requirements. `python -m mutants`, in the folder `tests`, makes this page.",
        "",
        "| requirement | mutants, or its pair |",
        "|---|---|",
    ]
    for name in REQUIREMENTS:
        broken_by = [f"`{mutant.name}`" for mutant in MUTANTS.values() if name in mutant.breaks]
        lines.append(f"| `{name}` | {', '.join(broken_by or ['its pair'] * (name in IN_PAIRS))} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(mutants_page(), end="")  # noqa: T201  (it is what the command is for)
