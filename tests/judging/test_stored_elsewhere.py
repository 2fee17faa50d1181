"""What hosts, schedulers, clusters and daemons made of questions before is judged as it was then."""

import pytest

from stored_elsewhere import JUDGES, judged, stored

DELIBERATE = "if a judge was changed deliberately, delete the file: cd tests && python -m stored_elsewhere"


def is_wrong(surface, verdict):
    match surface:
        case "scheduler":
            return any(pod["refused"] or pod["held"] for pod in verdict)
        case "cluster":
            return not all(pod["amongBest"] and pod["decidedAlike"] for pod in verdict)
    return bool(verdict)


@pytest.mark.parametrize("surface", JUDGES)
def test_it_is_judged_as_before(surface):
    for record in stored(surface):
        assert judged(surface, record) == record["verdict"], f"{record['name']}; {DELIBERATE}"


@pytest.mark.parametrize("surface", JUDGES)
def test_right_and_wrong_ones_are_stored(surface):
    wrong = {record["name"]: is_wrong(surface, record["verdict"]) for record in stored(surface)}
    assert [name for name in wrong if not wrong[name]] == ["right"]
    assert len(wrong) >= 3
