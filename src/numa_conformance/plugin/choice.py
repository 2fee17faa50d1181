"""Which of the collected cases a run asks."""

from collections import Counter

import pytest

from ..asking.known_failures import NOT_SELECTED, LeftOut
from ..chapters import REQUIREMENTS
from ..chapters.exact import GOLDEN_IDS
from ..errors import UsageError
from ..report.case import Case
from .cases import CASE, case_id, requirements_of, surfaces_of_item
from .isolation import is_of_the_suite, shield
from .run import RUN, Run
from .spending import turn

LEFT_OUT = pytest.StashKey[list[LeftOut]]()
"""Where pytest's configuration keeps the cases that are not asked."""


class CaseChoice:
    """Leaves out what is not asked for, and skips what the target does not claim."""

    def __init__(self, config: pytest.Config) -> None:
        self._chosen: list[pytest.Item] = []
        self._left_out = config.stash[LEFT_OUT] = []

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the cases that are asked, and give each its record."""
        run = config.stash[RUN]
        reasons = {item: _reason(item, run) for item in items}
        try:
            run.selection.check({case_id(item): why for item, why in reasons.items() if is_of_the_suite(item.path)})
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        if items and all(reasons.values()):
            raise pytest.UsageError(f"nothing is selected: {run.selection}")
        dropped = {item: why for item, why in reasons.items() if why}
        if dropped:
            config.hook.pytest_deselected(items=list(dropped))
        self._left_out += [
            LeftOut(case_id(item), requirements_of(item), why)
            for item, why in dropped.items()
            if is_of_the_suite(item.path)
        ]
        items[:] = [item for item in items if item not in dropped]
        self._chosen = [item for item in items if is_of_the_suite(item.path)]
        for item in self._chosen:
            _prepare(item, run)
        if run.spending.seconds is not None:
            items.sort(key=turn)
        else:
            # The last case of each test by hand comes first: generated conversations of a whole run take long.
            by_hand = (item for item in items if CASE in item.stash and item.get_closest_marker("generated") is None)
            last = set({item.nodeid.partition("[")[0]: item for item in by_hand}.values())
            items.sort(key=lambda item: item not in last)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Refuse cases that could not be told apart, and take note of those that pytest itself has left out."""
        cases = Counter(case_id(item) for item in session.items if is_of_the_suite(item.path))
        if twice := [name for name, count in cases.items() if count > 1]:
            raise pytest.UsageError(f"two cases have the id {min(twice)}; rename a test or its file")
        remaining = set(session.items)
        self._left_out += [
            LeftOut(case_id(item), requirements_of(item), NOT_SELECTED)
            for item in self._chosen
            if item not in remaining
        ]


def _reason(item: pytest.Item, run: Run) -> str:
    if not is_of_the_suite(item.path):
        return "" if run.selection.wants((), "") else NOT_SELECTED
    names = requirements_of(item)
    if run.level == "exact" and item.get_closest_marker("documented"):
        return "asked at level documented only"
    compared = run.snapshots.of_target and not GOLDEN_IDS.isdisjoint(names)
    if run.level != "exact" and item.get_closest_marker("exact") and not compared:
        return "asked at level exact only"
    if _node_covers(item, run):
        return "the node is asked instead"
    if not _is_in_the_profile(item, names, run):
        return f"not of the profile {run.profile}"
    return "" if run.selection.wants(names, case_id(item)) else NOT_SELECTED


def _node_covers(item: pytest.Item, run: Run) -> bool:
    """Tell whether a case of a narrow surface says nothing that the node is not asked: it is for those without."""
    return (
        item.get_closest_marker("beside_node") is not None
        and "node" in run.surfaces
        and run.surfaces.isdisjoint(surfaces_of_item(item, run.claimed))
    )


def _is_in_the_profile(item: pytest.Item, names: list[str], run: Run) -> bool:
    profile = run.profile
    if names and profile.surface is not None and profile.surface not in surfaces_of_item(item, run.claimed):
        return False
    requirements = [REQUIREMENTS[name] for name in names]
    open_to_it = profile.optional - run.features
    return all(
        profile.asks(each.features) and each.holds_in(profile.version) and open_to_it.isdisjoint(each.features)
        for each in requirements
    )


def _prepare(item: pytest.Item, run: Run) -> None:
    names = requirements_of(item)
    item.stash[CASE] = Case(case_id(item), names, REQUIREMENTS[names[0]].area if names else "other", "passed")
    shield(item)
    item.user_properties.extend(("requirement", name) for name in names)
    if missing := missing_of(item, run):
        item.add_marker(pytest.mark.skip(reason=f"not claimed: {', '.join(missing)}"))


def missing_of(item: pytest.Item, run: Run) -> list[str]:
    """Return the features that a case needs and the target does not claim, ascending; then the surface it needs."""
    needed = {feature for name in requirements_of(item) for feature in REQUIREMENTS[name].features}
    surfaces = surfaces_of_item(item, run.claimed)
    without = surfaces if run.surfaces.isdisjoint(surfaces) else ()
    return [*sorted(needed - run.features), *([f"the surface {' or '.join(without)}"] if without else [])]
