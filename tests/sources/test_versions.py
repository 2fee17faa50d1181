import pytest

from numa_conformance.errors import UsageError
from numa_conformance.sources.versions import NEWEST, OLDEST, SUPPORTED, KubernetesVersion, Span, Timeline


@pytest.mark.parametrize("text", ["1.32", "v1.32", "1.32.10", "v1.32.10", "v1.32.4-eks-1a2b", "1.32.1+k3s1"])
def test_a_version_is_read_as_kubelets_tell_it(text):
    assert KubernetesVersion.parse(text) == KubernetesVersion(1, 32)


@pytest.mark.parametrize("text", ["", "1", "latest", "1.32-rc", "1.x", "1.32\n", "-1.32", "1.\u0663"])
def test_what_is_no_version_is_refused(text):
    with pytest.raises(UsageError, match="is not a Kubernetes version"):
        KubernetesVersion.parse(text)
    assert KubernetesVersion.known(text) is None


@pytest.mark.parametrize(
    ("text", "told"), [("1.34", "1.34"), ("v1.34.0", "1.34.0"), ("1.34.10", "1.34.10"), ("v1.32.4-eks-1a2b", "1.32.4")]
)
def test_a_version_carries_its_patch(text, told):
    assert str(KubernetesVersion.supported(text)) == told


def test_versions_are_ordered_by_number_not_by_text():
    assert KubernetesVersion.parse("1.9") < KubernetesVersion.parse("1.10") < KubernetesVersion.parse("2.0")


@pytest.mark.parametrize("version", ["1.26", "2.0", KubernetesVersion(1, NEWEST.minor + 1)])
def test_a_version_whose_behaviour_is_not_known_is_refused_with_those_that_are(version):
    with pytest.raises(UsageError) as caught:
        KubernetesVersion.supported(version)
    assert caught.value.faults[0].accepted == f"{OLDEST} to {NEWEST}"


def test_every_supported_version_is_known():
    assert [KubernetesVersion.known(str(version)) for version in SUPPORTED] == list(SUPPORTED)


@pytest.mark.parametrize(
    ("span", "inside", "outside"),
    [
        ("1.23+", ["1.23", "1.36"], ["1.22"]),
        ("1.32-1.33", ["1.32", "1.33"], ["1.31", "1.34"]),
        ("1.32", ["1.32", "1.32.0", "1.32.99"], ["1.33", "1.33.0"]),
        ("1.10-1.27.1", ["1.26", "1.26.9", "1.27.0", "1.27.1"], ["1.27.2", "1.27", "1.28.0"]),
        ("1.27.2-1.27.5", ["1.27.2", "1.27.5"], ["1.27.1", "1.27.6", "1.27"]),
        ("1.34.7+", ["1.34.7", "1.34", "1.35.0"], ["1.34.6", "1.33"]),
    ],
)
def test_a_span_holds_its_versions(span, inside, outside):
    asked = Span.parse(span)
    assert [text for text in (*inside, *outside) if KubernetesVersion.parse(text) in asked] == inside
    assert str(asked) == span


def test_a_history_tells_the_value_that_was_reached():
    history = Timeline(("1.22", "alpha"), ("1.33", "ga"))
    reached = [history.at(KubernetesVersion.parse(text)) for text in ("1.21", "1.22", "1.32", "1.33", "1.40")]
    assert reached == [None, "alpha", "alpha", "ga", "ga"]


@pytest.mark.parametrize("steps", [[("1.33", 1), ("1.22", 2)], [("1.33", 1), ("1.33", 2)]])
def test_a_history_out_of_order_is_refused(steps):
    with pytest.raises(ValueError, match="order of their versions"):
        Timeline(*steps)
