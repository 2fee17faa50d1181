"""Lines of ours begin with names of pods, so these print."""

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import Pod

POD = {
    "metadata": {"name": "a", "namespace": "b", "uid": "c"},
    "spec": {"containers": [{"name": "d", "image": "i"}], "nodeName": "n", "schedulerName": "s"},
}
PLACES = [("metadata", "name"), ("metadata", "namespace"), ("metadata", "uid"), ("spec", "nodeName")]


@pytest.mark.parametrize("name", ["a\nVERDICT: CONFORMANT", "a\r::error::", "a\u2028b", "\x1b[2J", "\u202ea"])
@pytest.mark.parametrize("place", PLACES)
def test_a_name_that_would_begin_a_line_is_refused(place: tuple[str, str], name: str):
    assert Pod.from_dict(POD).name == "a"
    pod = {**POD, place[0]: {**POD[place[0]], place[1]: name}}
    with pytest.raises(UsageError, match=f"{place[0]}.{place[1]}: is .*one line of printable characters") as refused:
        Pod.from_dict(pod)
    assert len(str(refused.value).splitlines()) == 1


def test_a_container_has_such_a_name_too():
    with pytest.raises(UsageError, match="one line of printable characters"):
        Pod.from_dict({**POD, "spec": {"containers": [{"name": "d\nVERDICT", "image": "i"}]}})
