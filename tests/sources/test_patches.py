"""What is known of patches, and what is said of one that is asked for."""

import re

import pytest

from numa_conformance.sources.patches import PATCH_CHANGES, SHOWN_OF, patch_note
from numa_conformance.sources.quirks import QUIRKS
from numa_conformance.sources.versions import SUPPORTED, KubernetesVersion


def test_each_minor_was_shown_of_one_patch():
    assert list(SHOWN_OF) == list(SUPPORTED)
    assert all(patch.patch is not None for patch in SHOWN_OF.values())


def test_a_change_that_is_reproduced_begins_where_its_quirk_ends():
    for change in PATCH_CHANGES:
        assert change.since.patch is not None
        if change.quirk:
            before = KubernetesVersion(change.since.major, change.since.minor, change.since.patch - 1)
            assert before in QUIRKS[change.quirk].versions
            assert change.since not in QUIRKS[change.quirk].versions


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1.34.0", "shown of 1.34.10; until 1.34.7 of a container that was started again before"),
        ("1.34.7", "shown of 1.34.10; in what the managers decide 1.34.7 does not differ from it"),
        ("1.34.10", "shown of 1.34.10"),
        ("1.34.99", "shown of 1.34.10, and of nothing newer"),
        ("1.27.1", r"\(quirk unhealthy-devices-are-kept\); until 1.27.6 a kubelet that starts"),
        ("1.27.3", "shown of 1.27.16; until 1.27.6 a kubelet that starts"),
    ],
)
def test_what_is_said_of_a_patch(text, told):
    assert re.search(told, patch_note(KubernetesVersion.parse(text)))


def test_nothing_is_said_of_a_minor_alone():
    assert patch_note(KubernetesVersion.parse("1.34")) is None
