"""Manifests as users have them: folders, Lists, objects of every kind, and misspelt ones."""

from pathlib import Path

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import ClusterObjects, read_cluster

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c}]}\n"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n"
ROLLOUT = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r}\n"
RUNNING = """
kind: List
items:
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: d, uid: D}, spec: {replicas: 1, template: {spec: {}}}}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: d-1, uid: R, ownerReferences: [{kind: Deployment, uid: D}]}
  spec: {replicas: 1, template: {spec: {containers: [{name: c}]}}}
- kind: Pod
  metadata: {name: d-1-x, uid: P, ownerReferences: [{kind: ReplicaSet, uid: R}]}
  spec: {containers: [{name: c}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def read(folder: Path, text: str) -> ClusterObjects:
    (folder / "input.yaml").write_text(text)
    return read_cluster(folder / "input.yaml")


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(UsageError) as refused:
        read(folder, text)
    return [str(fault).replace(f"{folder}/", "") for fault in refused.value.faults]


def test_objects_that_make_no_pods_are_passed_over_and_told(folder: Path) -> None:
    found = read(folder, "---\n".join([SERVICE, POD, SERVICE, ROLLOUT, "kind: SecretList\nitems: []\n"]))
    assert [pod.name for pod in found.pods] == ["p"]
    (notice,) = found.notices
    assert notice.endswith(
        ": 2 Service, 1 Rollout, 1 SecretList; give the pods that Rollout made (kubectl get pods -o yaml)"
    )


def test_a_file_of_nothing_else_is_refused(folder: Path) -> None:
    (fault,) = faults(folder, f"{SERVICE}---\n{ROLLOUT}")
    assert fault.startswith(
        "input.yaml: holds no pods and nodes, but Service, Rollout (accepted: the pods that Rollout made: "
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: Deploiment", "kind: 'Deploiment' makes no pods (accepted: Pod, Deployment, StatefulSet"),
        ("kind: Deploiment", "did you mean 'Deployment'?"),
        ("apiVersion: v1\nkind: Servic", "did you mean 'Service'?"),
        ("apiVersion: batch/v1\nkind: Jobb", "did you mean 'Job'?"),
        ("kind: [Pod]", "kind: ['Pod'] makes no pods"),
        ("metadata: {name: a}", "input.yaml: kind: is missing"),
    ],
)
def test_a_misspelt_kind_of_kubernetes_is_refused(folder: Path, text: str, said: str) -> None:
    (fault,) = faults(folder, text)
    assert said in fault


def test_a_folder_is_read_as_kubectl_reads_it(folder: Path) -> None:
    (folder / "b.yml").write_text(POD.replace("name: p", "name: second"))
    (folder / "a.json").write_text(
        '{"kind": "Pod", "metadata": {"name": "first"}, "spec": {"containers": [{"name": "c"}]}}'
    )
    (folder / "README.md").write_text("no manifest")
    (folder / "below").mkdir()
    assert [pod.name for pod in read_cluster(folder).pods] == ["first", "second"]
    with pytest.raises(UsageError, match=r"no manifest in the folder \(accepted: files \*.yaml"):
        read_cluster(folder / "below")


def test_what_a_workload_has_made_counts_once(folder: Path) -> None:
    found = read(folder, RUNNING)
    assert [pod.uid for pod in found.pods] == ["P"]
    assert found.notices == ("workloads that are not read, as what they have made is there itself: 2",)


def test_pods_that_ended_are_left_out(folder: Path) -> None:
    found = read(folder, f"{POD}status: {{phase: Failed}}\n")
    assert found.pods == ()
    assert found.notices == ("pods that are left out, as they have ended: default/p (Failed)",)


def test_pods_of_a_scheduling_group_are_named(folder: Path) -> None:
    (told,) = read(folder, POD.replace("spec: {", "spec: {schedulingGroup: {podGroupName: g}, ")).notices
    assert told.startswith("not modelled: schedulingGroup of default/p; ")


def test_generated_names_are_generated(folder: Path) -> None:
    pod = POD.replace("name: p", "generateName: job-")
    assert [one.name for one in read(folder, f"{pod}---\n{POD}---\n{pod}").pods] == ["job-1", "p", "job-2"]


def test_items_of_a_list_of_workloads_need_no_kind(folder: Path) -> None:
    found = read(
        folder, "kind: JobList\nitems: [{metadata: {name: j}, spec: {template: {spec: {containers: [{name: c}]}}}}]"
    )
    assert [pod.name for pod in found.pods] == ["j-0"]


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            "{containers: [{name: c, resorces: {}}]}",
            "spec.containers[0].resorces: unknown field; did you mean 'resources'?",
        ),
        (
            "{containers: [{name: c, resources: {limit: {cpu: 1}}}]}",
            "spec.containers[0].resources.limit: unknown field (accepted: claims, limits, requests); "
            "did you mean 'limits'?",
        ),
        ("{containers: [{name: c, limits: {cpu: 1}}]}", "spec.containers[0].limits: unknown field"),
        (
            "{containers: [{name: c}], initContainer: []}",
            "spec.initContainer: unknown field; did you mean 'initContainers'?",
        ),
        (
            "{containers: [{name: c}], resources: {request: {cpu: 1}}}",
            "spec.resources.request: unknown field (accepted: claims, limits, requests); did you mean 'requests'?",
        ),
    ],
)
def test_a_misspelt_field_is_named_with_its_neighbour(folder: Path, spec: str, said: str) -> None:
    assert faults(folder, f"kind: Pod\nmetadata: {{name: p}}\nspec: {spec}\n") == [f"input.yaml: {said}"]


def test_replicas_differ_by_name_and_uid(folder: Path) -> None:
    text = "kind: Deployment\nmetadata: {name: d}\nspec: {replicas: 2, template: {spec: {containers: [{name: c}]}}}\n"
    first, second = read(folder, text).pods
    told = {"namespace": "default", "name": "d-1", "uid": "default/d-1"}
    assert (second.name, second.uid, second.to_dict()["metadata"]) == ("d-1", "default/d-1", told)
    assert first.to_dict()["spec"] == second.to_dict()["spec"] == {"containers": [{"name": "c"}]}


def test_a_misspelt_field_of_a_template_is_named_once(folder: Path) -> None:
    text = "kind: Deployment\nspec: {replicas: 3, template: {spec: {containers: [{name: c, resorces: {}}]}}}\n"
    (fault,) = faults(folder, text)
    assert fault.startswith("input.yaml: spec.template: spec.containers[0].resorces: ")


@pytest.mark.parametrize("kind", ["Pod", "Deployment"])
def test_a_field_that_the_api_server_has_handed_out_is_no_fault(folder: Path, kind: str) -> None:
    """It drops misspelt ones: this is one of a version that is not known yet."""
    pod = "{containers: [{name: c, ofTomorrow: 1}]}"
    spec = pod if kind == "Pod" else f"{{template: {{spec: {pod}}}}}"
    found = read(folder, f"kind: {kind}\nmetadata: {{name: p, resourceVersion: '7'}}\nspec: {spec}\n")
    assert len(found.pods) == 1


@pytest.mark.parametrize(
    ("job", "count"),
    [
        ("spec: {parallelism: 5, completions: 2, template: TEMPLATE}", 2),
        ("spec: {parallelism: 5, completions: 4, template: TEMPLATE}\nstatus: {succeeded: 1}", 3),
        ("spec: {parallelism: 3, template: TEMPLATE}", 3),
        ("spec: {suspend: true, template: TEMPLATE}", 0),
        ('spec: {template: TEMPLATE}\nstatus: {conditions: [{type: Complete, status: "True"}]}', 0),
        ('spec: {template: TEMPLATE}\nstatus: {conditions: [{type: Failed, status: "False"}]}', 1),
    ],
)
def test_a_job_makes_what_is_left_to_do(folder: Path, job: str, count: int) -> None:
    text = job.replace("TEMPLATE", "{spec: {containers: [{name: c}]}}")
    (folder / "job.yaml").write_text(f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j}}\n{text}\n")
    objects = read_cluster(folder / "job.yaml")
    assert len(objects.pods) == count
    assert any("make no pods, as of 0 replicas, suspended or ended: Job j" in text for text in objects.notices) == (
        not count
    )


LISTED = "template: {spec: {containers: [{name: c}]}}"


@pytest.mark.parametrize("field", ["name", "namespace"])
def test_a_name_that_yaml_takes_for_a_truth_value_is_refused(folder: Path, field: str) -> None:
    text = f"kind: Deployment\nmetadata: {{{field}: off}}\nspec: {{{LISTED}}}\n"
    words = f'input.yaml: metadata.{field}: is true or false; put it in quotes: "false" (accepted: a text)'
    assert faults(folder, text) == [words]


@pytest.mark.parametrize(("written", "count"), [("2.0", 2), ("2", 2), ("0.0", 0)])
def test_a_whole_number_of_replicas_may_have_a_point(folder: Path, written: str, count: int) -> None:
    assert len(read(folder, f"kind: Deployment\nspec: {{replicas: {written}, {LISTED}}}\n").pods) == count


def test_parts_of_replicas_are_refused(folder: Path) -> None:
    (fault,) = faults(folder, f"kind: Deployment\nspec: {{replicas: 1.5, {LISTED}}}\n")
    assert fault.startswith("input.yaml: spec.replicas: is 1.5")


def test_an_entry_of_other_fields_is_no_misspelt_step(folder: Path) -> None:
    (folder / "inspected.json").write_text('[{"Id": "a", "State": {"Status": "running"}, "HostConfig": {}}]')
    with pytest.raises(UsageError) as error:
        read_cluster(folder / "inspected.json")
    (fault,) = error.value.faults
    assert (fault.place.rpartition(": ")[2], fault.message) == ("kind", "is missing")
