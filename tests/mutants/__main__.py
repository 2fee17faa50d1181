"""``python -m mutants``: prints the page docs/mutants.md."""

from __future__ import annotations

from numa_conformance.suite.requirements import REQUIREMENTS

from . import MUTANTS

__all__ = ["mutants_page"]


def mutants_page() -> str:
    """Return ``docs/mutants.md``: the requirements, and who breaks them."""
    exact = sum(mutant.level == "exact" for mutant in MUTANTS.values())
    lines = [
        "# Mutants",
        "",
        "A requirement that no allocator can fail is not tested. So every one has a mutant: an allocator that is right "
        "but for one fault. A test of the project shows that the suite finds the fault on each requirement named here. "
        f"{len(MUTANTS)} mutants break {len(REQUIREMENTS)} requirements, {exact} of them at level `exact`. "
        "This page is made by `python -m mutants` in the folder `tests`.",
        "",
        "| requirement | mutants |",
        "|---|---|",
    ]
    for name in REQUIREMENTS:
        broken_by = [f"`{mutant.name}`" for mutant in MUTANTS.values() if name in mutant.breaks]
        lines.append(f"| `{name}` | {', '.join(broken_by)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(mutants_page(), end="")  # noqa: T201  (it is what the command is for)
