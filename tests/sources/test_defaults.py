import pytest

from numa_conformance.kube import KubeletConfiguration, kubelet_config
from numa_conformance.machine import load_machine
from numa_conformance.reference.managers.topology import options as topology_options
from numa_conformance.reference.node import Node
from numa_conformance.sources import defaults
from numa_conformance.sources.defaults import DEFAULTS, FieldDefault
from numa_conformance.sources.versions import DEFAULT, SUPPORTED, KubernetesVersion

EARLIER, LATER = map(KubernetesVersion.parse, ("1.34", "1.35"))
MACHINE = "t3-two-numa-per-socket"


@pytest.fixture
def changed(monkeypatch):
    """Give a field another default until 1.34."""

    def change(name, value):
        first, _ = DEFAULTS[name].history.steps[0]
        made = FieldDefault(name, (str(first), value), ("1.35", DEFAULTS[name].at(DEFAULT)))
        monkeypatch.setattr(kubelet_config, "DEFAULTS", {**DEFAULTS, name: made})
        kubelet_config._defaults.cache_clear()

    yield change
    kubelet_config._defaults.cache_clear()


@pytest.mark.parametrize("default", DEFAULTS.values(), ids=DEFAULTS)
def test_every_supported_version_has_every_default_and_an_address(default):
    assert all(default.at(version) is not None for version in SUPPORTED)
    assert default.source.address.startswith("https://kubernetes.io/docs/")


def test_every_default_of_the_room_is_in_the_table():
    named = [value for value in vars(defaults).values() if isinstance(value, FieldDefault)]
    assert set(named) == set(DEFAULTS.values())


def test_a_field_that_a_version_does_not_have_is_no_default():
    with pytest.raises(ValueError, match=r"Kubernetes 1\.10 has no field memoryManagerPolicy"):
        DEFAULTS["memoryManagerPolicy"].at(KubernetesVersion.parse("1.10"))


@pytest.mark.parametrize(
    ("name", "value", "attribute"),
    [
        ("cpuManagerReconcilePeriod", "5s", "cpu_manager_reconcile_period"),
        ("topologyManagerScope", "pod", "topology_manager_scope"),
        ("cpuCFSQuota", False, "cpu_cfs_quota"),
        ("maxPods", 250, "max_pods"),
        ("evictionHard", {"memory.available": "200Mi"}, "eviction_hard"),
    ],
)
def test_a_changed_default_holds_until_its_version(changed, name, value, attribute):
    changed(name, value)
    silent = KubeletConfiguration.from_dict({"cpuManagerPolicy": "static"})
    assert getattr(silent.at(EARLIER), attribute) == value
    assert silent.at(EARLIER).cpu_manager_policy == "static"
    assert silent.at(LATER) == silent.at(DEFAULT) == silent
    assert getattr(KubeletConfiguration().at(EARLIER), attribute) == value


def test_what_is_said_is_no_default_though_it_equals_another_one(changed):
    changed("maxPods", 250)
    said = KubeletConfiguration.from_dict({"maxPods": 110})
    assert said.at(EARLIER).max_pods == 110


def test_merged_eviction_settings_are_those_of_the_version(changed):
    changed("evictionHard", {"memory.available": "200Mi"})
    merged = KubeletConfiguration.from_dict(
        {"evictionHard": {"nodefs.available": "5%"}, "mergeDefaultEvictionSettings": True}
    )
    assert merged.at(EARLIER).eviction_hard == {"memory.available": "200Mi", "nodefs.available": "5%"}


def test_a_node_follows_the_defaults_of_its_version(changed):
    changed("cpuManagerPolicy", "static")
    config = KubeletConfiguration.from_dict({"reservedSystemCPUs": "0"})
    before, after = (Node(load_machine(MACHINE), config, kubernetes_version=text) for text in ("1.34", "1.35"))
    assert (before.pools.reserved, after.pools.reserved) == (1, None)
    before.restart(KubeletConfiguration.from_dict({"reservedSystemCPUs": "0"}))
    assert before.pools.reserved == 1


def test_the_limit_of_numa_nodes_is_that_of_the_version(monkeypatch):
    monkeypatch.setattr(topology_options, "MAX_ALLOWABLE_NUMA_NODES", FieldDefault("limit", ("1.16", 3), ("1.35", 4)))
    config = KubeletConfiguration(topology_manager_policy="restricted")
    with pytest.raises(Exception, match="more than 3 NUMA Nodes"):
        Node(load_machine(MACHINE), config, kubernetes_version="1.34")
    assert Node(load_machine(MACHINE), config, kubernetes_version="1.35").config.topology_manager_policy == "restricted"
