import pytest

from numa_conformance.asking.profiles import FEATURE_SETS, Profile
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.errors import UsageError
from numa_conformance.wire.features import KNOWN


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [("", "all", "1.32"), ("cpu", "cpu", "1.32"), ("cpu@1.30", "cpu", "1.30"), ("@1.30", "all", "1.30")],
)
def test_name_and_version_may_each_be_left_out(text, name, version):
    profile = Profile.parse(text, "1.32")
    assert (profile.name, str(profile.version)) == (name, version)
    assert str(profile) == f"{name}@{version}"


@pytest.mark.parametrize(
    ("text", "said"),
    [("cpus", "did you mean 'cpu'"), ("cpu@1.10", "accepted: 1.27 to 1.37"), ("cpu@new", "'new' is not a Kubernetes")],
)
def test_unknown_profiles_are_refused(text, said):
    with pytest.raises(UsageError, match=said):
        Profile.parse(text, "1.32")


def test_a_target_of_a_version_that_is_not_known_is_asked_as_one_that_is():
    with pytest.raises(UsageError, match=r"the target follows '1\.38', .*accepted: cpu@VERSION, 1\.27 to"):
        Profile.parse("cpu", "1.38")
    assert str(Profile.parse("cpu@1.36", "1.38")) == "cpu@1.36"


@pytest.mark.parametrize("name", FEATURE_SETS)
def test_a_set_names_known_features_and_asks_for_something(name):
    profile = Profile.parse(name, "1.32")
    assert profile.features <= KNOWN.keys()
    assert any(profile.asks(one.features) for one in REQUIREMENTS.values())


def test_every_requirement_is_asked_by_a_set_other_than_all():
    sets = [features for name, features in FEATURE_SETS.items() if name != "all"]
    assert [
        one.id
        for one in REQUIREMENTS.values()
        if one.level == "documented" and not any(features.issuperset(one.features) for features in sets)
    ] == []
