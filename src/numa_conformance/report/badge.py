"""A verdict as a small picture for a README. What is no verdict on the target, or claims nothing of it, is grey."""

from __future__ import annotations

from html import escape

from .model import NOT_JUDGED, Summary

_COLOURS = {"conformant": "#2e7d32", "partial": "#8a5a00", "not conformant": "#b3261e"}
_OTHER = "#5f6368"
_LETTER, _PADDING, _HEIGHT = 7, 16, 20


def badge_svg(summary: Summary) -> str:
    """Return an SVG that says ``numa-conformance`` and the verdict, with level and Kubernetes version.

    Between them stand the cases that passed, of those that ask for what the target claims, and a profile's name.
    """
    left = "numa-conformance"
    right = summary.verdict
    claimed = summary.planned - summary.counts["not claimed"]
    if claimed and summary.verdict != NOT_JUDGED:
        right += f" {summary.counts['passed']}/{claimed}"
    profile = summary.profile.partition("@")[0]
    if profile not in ("", "all"):
        right += f" ({profile})"
    right += f", {summary.level} {summary.target.kubernetes}"
    widths = [len(text) * _LETTER + _PADDING for text in (left, right)]
    total = sum(widths)
    claims_nothing = summary.verdict == "partial" and summary.problems
    colour = _OTHER if claims_nothing else _COLOURS.get(summary.verdict, _OTHER)
    title = escape(f"{left}: {right}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{_HEIGHT}" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
        f'<rect width="{total}" height="{_HEIGHT}" rx="3" fill="#444"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="{_HEIGHT}" rx="3" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{widths[0] / 2}" y="14">{left}</text>'
        f'<text x="{widths[0] + widths[1] / 2}" y="14">{escape(right)}</text></g></svg>\n'
    )
