"""Ids of cases in reports of version 0.1 of the suite, which left out the folder."""

from __future__ import annotations

from collections.abc import Iterable

from ..suite.examples.index import index_of_tests

__all__ = ["with_folder"]


def with_folder(case: str, requirements: Iterable[str]) -> str:
    """Return an id with the folder of its test, which the requirements tell: ``cpu/test_static::test_name``.

    An id that has one, or whose test the suite does not have any more, comes back as it is.
    """
    file, _, test = case.partition("::")
    if "/" in file:
        return case
    name = test.partition("[")[0]
    places = {place for requirement in requirements for place in index_of_tests().get(requirement, ())}
    folders = {place.partition("/")[0] for place in places if place.endswith(f"/{file}.py::{name}")}
    return f"{min(folders)}/{case}" if folders else case
