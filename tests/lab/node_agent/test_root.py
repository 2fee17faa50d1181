"""The agent's folder: nothing of others is touched, nothing of ours is left."""

import os
import socket

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.lab.node_agent.root import AgentRoot


def test_a_folder_that_holds_something_else_is_refused_and_left_as_it_is(tmp_path):
    (tmp_path / "cpu_manager_state").write_text("a kubelet's")
    with pytest.raises(UsageError, match="holds what is not ours, 'cpu_manager_state'"):
        AgentRoot(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["cpu_manager_state"]


def test_sockets_and_state_files_of_a_killed_agent_are_removed_and_other_files_kept(tmp_path):
    root = AgentRoot(tmp_path / "root")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(root.pod_resources))
    (root.folder / "cpu_manager_state").write_text("{}")
    (root.folder / "notes").write_text("of a person")
    os.close(root._lock)  # as the end of a process does
    AgentRoot(tmp_path / "root")
    assert not root.pod_resources.exists()
    assert not (root.folder / "cpu_manager_state").exists()
    assert (root.folder / "notes").read_text() == "of a person"


def test_a_socket_that_is_served_is_not_taken_over(tmp_path):
    root = AgentRoot(tmp_path / "root")
    os.close(root._lock)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(root.pod_resources))
        other.listen()
        with pytest.raises(UsageError, match="is served by a program that runs"):
            AgentRoot(tmp_path / "root")
        assert root.pod_resources.exists()


def test_two_agents_do_not_share_a_folder_and_one_may_follow_the_other(tmp_path):
    root = AgentRoot(tmp_path / "root")
    with pytest.raises(UsageError, match="is served by a program that runs"):
        AgentRoot(tmp_path / "root")
    root.close()
    AgentRoot(tmp_path / "root").close()


def test_a_path_that_is_too_long_for_a_socket_is_said(tmp_path):
    with pytest.raises(UsageError, match="is too long for sockets of 107 bytes"):
        AgentRoot(tmp_path / ("x" * 100))


def test_the_folders_are_the_users_alone(tmp_path):
    root = AgentRoot(tmp_path / "root")
    assert {one.stat().st_mode & 0o077 for one in (root.folder, root.device_plugins)} == {0}
