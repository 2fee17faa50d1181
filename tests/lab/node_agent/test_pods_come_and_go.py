"""The pods of the files are the pods of the node."""

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from served import Served, pod


def test_a_pod_comes_with_its_file_and_goes_with_it(tmp_path):
    with Served(tmp_path) as served:
        assert list(served.list()) == []
        served.put(pod("a"), pod("b"))
        served.take("a")
        assert [one.name for one in served.list()] == ["b"]
        assert served.told == ["default/a admitted", "default/b admitted", "default/a removed"]


def test_a_pod_that_has_changed_is_another_one(tmp_path):
    with Served(tmp_path) as served:
        served.put(pod("a", cpu=2))
        served.put(pod("a", cpu=4))
        assert len(served.containers("a")["c"].cpu_ids) == 4


def test_a_refused_pod_stays_refused_until_it_is_another_one(tmp_path):
    with Served(tmp_path) as served:
        served.put(pod("big", cpu=30), pod("late", cpu=2))
        served.take("big")
        assert [line.split(",")[0] for line in served.told] == [
            "default/big admitted",
            "default/late refused",
            "default/big removed",
        ]
        served.put(pod("late", cpu=4))
        assert served.told[-1] == "default/late admitted"


def test_files_with_faults_change_nothing_and_are_told_in_a_line_each(tmp_path):
    with Served(tmp_path) as served:
        served.put(pod("a"))
        (served.pods / "broken.yaml").write_text("kind: Pod\nspec: {containers: [")
        served.node.keep_up()
        served.node.keep_up()
        assert [one.name for one in served.list()] == ["a"]
        (told,) = served.told[1:]
        assert told.startswith("the pods stay as they were: ")
        assert "broken.yaml" in told
        assert "\n" not in told


def test_a_pod_that_asks_for_devices_that_nobody_offers_waits(tmp_path):
    with Served(tmp_path) as served:
        served.put(pod("a", nic=1))
        assert list(served.list()) == []
        assert served.told == ["default/a waits: nobody offers vendor.example/nic"]


def test_the_state_files_lie_where_a_kubelet_has_them(tmp_path):
    with Served(tmp_path, devices=[{"id": "nic-0", "numa": [0]}]) as served:
        served.put(pod("a", nic=1))
        files = served.agent.node.checkpoints()
        assert (served.root.folder / "cpu_manager_state").read_text() == files["cpu_manager_state"]
        checkpoint = served.root.device_plugins / "kubelet_internal_checkpoint"
        assert checkpoint.read_text() == files["kubelet_internal_checkpoint"]
