"""Several targets against all requirements, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..suite.requirements import REQUIREMENTS
from .html import page_of, worst
from .model import Summary

__all__ = ["matrix_page"]


def matrix_page(reports: Sequence[Summary]) -> str:
    """Return a page with a row for each requirement and a column for each report, in the order given."""
    columns = [one.by_requirement() for one in reports]
    heads = "".join(
        f'<th scope="col">{escape(one.target.name)} {escape(one.target.version)}<br>'
        f'<small>level {escape(one.level)}</small><br><span class="verdict {one.verdict.replace(" ", "-")}">'
        f"{escape(one.verdict)}</span></th>"
        for one in reports
    )
    rows = []
    for name, known in REQUIREMENTS.items():
        verdicts = [worst(column.get(name, ())) for column in columns]
        cells = "".join(
            f'<td><span class="verdict {verdict.replace(" ", "-")}">{escape(verdict)}</span></td>'
            for verdict in verdicts
        )
        rows.append(
            f'<tr><th scope="row"><code>{escape(name)}</code><br><small>{escape(known.text)}</small></th>{cells}</tr>'
        )
    body = [
        "<header><h1>Conformance by requirement</h1></header><main>",
        '<div class="scroll" tabindex="0"><table class="matrix">',
        f'<thead><tr><th scope="col">Requirement</th>{heads}</tr></thead><tbody>',
        *rows,
        "</tbody></table></div></main>",
    ]
    return page_of("Conformance by requirement", body)
