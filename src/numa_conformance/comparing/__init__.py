"""Two targets, or a target and the reference, answer by answer; recorded decisions, asked again."""

from .. import chapters as _chapters  # noqa: F401  (what is judged is declared there)
