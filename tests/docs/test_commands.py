"""The commands of the pages work when they are pasted, in order, and print and draw what the pages show."""

import re

import pytest

from report.pages import ABSENT, PAGES, PICTURES, ROOT, commands, follow, matches


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_what_its_commands_do(page, tmp_path):
    for ran in follow(page.read_text(), tmp_path):
        if ran.command.shown is None:
            assert ran.code in (0, 1), f"$ {ran.command.typed}\n{ran.printed}"
        elif not matches(ran.command.shown, ran.printed):
            assert list(ran.command.shown) == ran.printed.rstrip().splitlines(), ran.command.typed
    for drawn in tmp_path.glob("*.svg"):
        assert (PICTURES / drawn.name).read_text() == drawn.read_text(), f"python -m pages {page}"


def test_every_picture_is_drawn_by_a_command_of_a_page_and_shown_on_one():
    text = "".join(page.read_text() for page in PAGES)
    names = {path.name for path in PICTURES.iterdir()}
    assert names == set(re.findall(r"> (\S+\.svg)", text))
    assert names == set(re.findall(r"!\[[^\]]+\]\((?:docs/)?pictures/([^)]+)\)", text))


def test_every_reason_not_to_run_a_command_is_needed():
    every = [command.typed for page in PAGES for command in commands(page)]
    assert [pattern for pattern in ABSENT if not any(re.match(pattern, typed) for typed in every)] == []


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "b"], "a\nb\n", True),
        (["a", "b"], "a\nc\nb\n", False),
        (["a", "...", "b"], "a\nc\nb\n", True),
        (["a", "...", "b"], "a\nb\nc\n", False),
        (["in ... s"], "in 1.3 s\n", True),
        (["in ... s"], "in 1.3 s.\n", False),
        ([], "a\n", False),
    ],
)
def test_what_is_shown_is_compared_with_what_is_printed(shown, printed, same):
    assert matches(tuple(shown), printed) is same
