from typing import Any

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import (
    NodeResourcesFitArgs,
    ResourceWeight,
    SchedulerConfiguration,
    ShapePoint,
    read_scheduler_configuration,
)
from numa_conformance.sources.versions import KubernetesVersion

V1 = "kubescheduler.config.k8s.io/v1"


def scheduler(args: object, version: str = V1, **profile: Any) -> dict[str, Any]:
    fit = {"pluginConfig": [{"name": "NodeResourcesBalancedAllocation"}, {"name": "NodeResourcesFit", "args": args}]}
    return {"apiVersion": version, "kind": "KubeSchedulerConfiguration", "profiles": [{**fit, **profile}]}


def faults(strategy: object, **args: Any) -> list[str]:
    with pytest.raises(UsageError) as caught:
        NodeResourcesFitArgs.from_dict({"scoringStrategy": strategy, **args}, version=KubernetesVersion(1, 32))
    return [str(fault) for fault in caught.value.faults]


def shape(*points: tuple[int, int]) -> dict[str, Any]:
    listed = [{"utilization": utilization, "score": score} for utilization, score in points]
    return {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": listed}}


def test_without_arguments_least_allocated_scores_cpu_and_memory_alike() -> None:
    strategy = SchedulerConfiguration.from_dict({}).profiles[0].fit.strategy
    assert (strategy.type, strategy.resources) == ("LeastAllocated", (ResourceWeight("cpu"), ResourceWeight("memory")))


@pytest.mark.parametrize("weight", [{}, {"weight": 0}, {"weight": 1}])
def test_a_missing_weight_is_one(weight: dict[str, int]) -> None:
    read = NodeResourcesFitArgs.from_dict(
        {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", **weight}]}}
    )
    assert read.strategy.resources == (ResourceWeight("cpu", 1),)


def test_reads_the_configuration_of_the_documentation() -> None:
    args = {
        "scoringStrategy": {
            "type": "RequestedToCapacityRatio",
            "resources": [{"name": "intel.com/foo", "weight": 3}, {"name": "intel.com/bar", "weight": 3}],
            "requestedToCapacityRatio": {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]},
        }
    }
    strategy = SchedulerConfiguration.from_dict(scheduler(args)).profiles[0].fit.strategy
    assert strategy.resources == (ResourceWeight("intel.com/foo", 3), ResourceWeight("intel.com/bar", 3))
    assert strategy.shape == (ShapePoint(0, 0), ShapePoint(100, 10))


@pytest.mark.parametrize(("name", "last", "end"), [("v1beta3", "1.28", "1.29"), ("v1beta2", "1.27", "1.28")])
def test_an_old_version_is_read_until_its_end_with_a_notice(name: str, last: str, end: str) -> None:
    written = scheduler({}, f"kubescheduler.config.k8s.io/{name}")
    old = SchedulerConfiguration.from_dict(written, version=KubernetesVersion.parse(last))
    assert end in old.notices[0]
    with pytest.raises(UsageError, match=f"gone since Kubernetes {end}: no scheduler starts"):
        SchedulerConfiguration.from_dict(written, version=KubernetesVersion.parse(end))
    assert SchedulerConfiguration.from_dict(scheduler({})).notices == ()


def test_another_version_or_kind_is_refused() -> None:
    for wrong in (scheduler({}, "kubescheduler.config.k8s.io/v1beta2"), {"kind": "KubeletConfiguration"}):
        with pytest.raises(UsageError):
            SchedulerConfiguration.from_dict(wrong)


def test_the_weight_of_the_plugin_is_read() -> None:
    plugins = {"multiPoint": {"enabled": [{"name": "NodeResourcesFit", "weight": 4}]}}
    assert SchedulerConfiguration.from_dict(scheduler({}, plugins=plugins)).profiles[0].weight == 4


def test_two_profiles_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match=r"profiles\[1\].schedulerName: Duplicate"):
        SchedulerConfiguration.from_dict({"profiles": [{}, {"schedulerName": "default-scheduler"}]})


def test_all_faults_come_at_once_in_the_schedulers_words() -> None:
    strategy = {
        **shape((50, 3), (20, 4), (101, 11)),
        "resources": [{"name": "cpu", "weight": 101}, {"name": "memory", "weight": -1}],
    }
    assert faults(strategy) == [
        "scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]",
        "scoringStrategy.resources[1].weight: Invalid value: -1: resource weight of memory not in valid range (0, 100]",
        "scoringStrategy.shape[1].utilization: Invalid value: 20: "
        "utilization values must be sorted in increasing order",
        "scoringStrategy.shape[2].utilization: Invalid value: 101: not in valid range [0, 100]",
        "scoringStrategy.shape[2].score: Invalid value: 11: not in valid range [0, 10]",
    ]


def test_unsorted_points_are_told_once() -> None:
    assert len(faults(shape((50, 1), (40, 1), (30, 1)))) == 1


def test_one_point_is_a_shape() -> None:
    assert NodeResourcesFitArgs.from_dict({"scoringStrategy": shape((0, 7))}).strategy.shape == (ShapePoint(0, 7),)


def test_a_shape_is_checked_under_every_type() -> None:
    assert faults({**shape(), "type": "LeastAllocated"}) == [
        "scoringStrategy.shape: Required value: at least one point must be specified"
    ]


def test_a_configuration_is_read_as_the_version_does() -> None:
    """From 1.36 on a shape has no place beside another type."""
    told = scheduler({"scoringStrategy": {**shape((0, 7)), "type": "LeastAllocated"}})
    assert SchedulerConfiguration.from_dict(told, version=KubernetesVersion(1, 35)).profiles[0].fit.strategy.shape
    with pytest.raises(UsageError, match="must be nil when type is not RequestedToCapacityRatio"):
        SchedulerConfiguration.from_dict(told, version=KubernetesVersion(1, 36))


def test_a_type_that_needs_a_shape_must_have_one() -> None:
    (fault,) = faults({"type": "RequestedToCapacityRatio"})
    assert fault.startswith("scoringStrategy.requestedToCapacityRatio: Required value")


def test_an_unknown_type_is_refused_with_those_supported() -> None:
    (fault,) = faults({"type": "mostAllocated"})
    assert fault == (
        'scoringStrategy.type: Unsupported value: "mostAllocated": supported values: "LeastAllocated", '
        '"MostAllocated", "RequestedToCapacityRatio"; did you mean \'MostAllocated\'?'
    )


def test_ignored_names_are_checked() -> None:
    found = faults(None, ignoredResources=["a.b/c", "not a name"], ignoredResourceGroups=["a.b", "a.b/c"])
    assert [fault.split(":")[0] for fault in found] == ["ignoredResources[1]", "ignoredResourceGroups[1]"]


def test_wrong_types_and_unknown_fields_are_refused_with_their_path() -> None:
    broken = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "cpu", "weight": "3", "wait": 1}]}}
    with pytest.raises(UsageError) as caught:
        SchedulerConfiguration.from_dict(scheduler(broken), "scheduler.yaml")
    assert [fault.place for fault in caught.value.faults] == [
        "scheduler.yaml: profiles[0].pluginConfig[1].args.scoringStrategy.resources[0].wait",
        "scheduler.yaml: profiles[0].pluginConfig[1].args.scoringStrategy.resources[0].weight",
    ]


def test_a_config_map_may_hold_it(tmp_path):
    file = tmp_path / "cm.yaml"
    inner = "kind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: numa}]"
    text = "kind: ConfigMap\ndata:\n  other: text\n  config.yaml: |\n    " + inner.replace("\n", "\n    ")
    file.write_text(text)
    assert [profile.scheduler_name for profile in read_scheduler_configuration(file).profiles] == ["numa"]
    file.write_text(text.replace("schedulerName", "schedulername"))
    with pytest.raises(UsageError, match=r"cm\.yaml: data\.config\.yaml: profiles\[0\]\.schedulername"):
        read_scheduler_configuration(file)
    file.write_text("kind: ConfigMap\ndata: {a: b}\n")
    with pytest.raises(UsageError, match="accepted: one KubeSchedulerConfiguration"):
        read_scheduler_configuration(file)
