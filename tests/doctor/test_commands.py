import io
import json
import os
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from fake_nodes import MEMORY, ROOT_DIR, STATIC, FakeNode, container, pod
from numa_conformance.cli import main
from numa_conformance.cli.check_node import finding_lines
from numa_conformance.doctor.cgroups import names_of_containers
from numa_conformance.doctor.findings import NodeFinding
from numa_conformance.judging.verdicts import judge
from numa_conformance.wire.history.history import read_histories
from processes import PATIENCE

KUBELET = {**STATIC, **MEMORY, "topologyManagerPolicy": "single-numa-node"}
FINDING = "cpu-manager/reconcile/running-containers-get-their-cpusets"


def run(capsys, *args):
    with pytest.raises(SystemExit) as ended:
        main([str(arg) for arg in args])
    out, err = capsys.readouterr()
    return ended.value.code, out, err


@pytest.fixture
def node(tmp_path):
    made = FakeNode(tmp_path / "node", kubelet=KUBELET)
    made.program("v1.32.10")
    return made


def test_a_clean_node_ends_with_0(node, capsys):
    code, out, _ = run(capsys, "check-node", "--from-node", node.root)
    assert code == 0
    pause, summary = out.splitlines()
    assert pause.startswith("note: pause containers, 4 here, may run on exclusive CPUs 1-2,17-18: ")
    assert summary.startswith("0 errors, 0 warnings; ")
    assert "requirements asked of kubelet 1.32.10 in " in out


def test_a_fault_is_told_with_what_shows_it_and_what_to_do(node, capsys):
    node.moves("db-uid", "main", "0-31")
    code, out, _ = run(capsys, "check-node", "--from-node", node.root)
    assert code == 1
    assert "error: the cgroup of container db-uid/main has another cpuset than is assigned" in out
    assert "seen: 0-31; documented: its own 1,17" in out
    assert "db-uid is pod default/db" in out
    assert "cpuset.cpus:1: 0-31" in out
    assert f'{ROOT_DIR}/cpu_manager_state:1: "main":"1,17"' in out
    assert FINDING in out
    assert "https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/#configuration" in out
    assert "to do: restart the kubelet" in out


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_colours_of_ours_alone(node, capsys, monkeypatch):
    node.moves("db-uid", "main", "0-31")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout", Terminal())
    run(capsys, "check-node", "--from-node", node.root)
    assert sys.stdout.getvalue().startswith("\x1b[31merror\x1b[0m: the cgroup")
    first, *rest = finding_lines(NodeFinding("a/b", *["\x1b[2J"] * 2, "error", *["\x1b[2J\n"] * 4, ()))
    assert not any("\x1b" in line or "\n" in line for line in [first.removeprefix("\x1b[31merror\x1b[0m"), *rest])


def test_json_says_the_same(node, capsys):
    node.moves("db-uid", "main", "0-31")
    code, out, _ = run(capsys, "check-node", "--from-node", node.root, "--json")
    told = json.loads(out)
    assert (code, told["errors"], told["warnings"]) == (1, 1, 0)
    (one,) = told["findings"]
    assert one["requirement"] == FINDING
    assert one["evidence"][0]["line"] == 1
    assert told["asked"][FINDING] == 5  # once of each container that runs
    assert told["kubernetes_version"] == "1.32.10"


def test_a_dump_says_what_the_node_says(node, tmp_path, capsys):
    node.moves("db-uid", "main", "0-31")
    node.change_cpus(lambda state: state.assign("idle-uid", "rest", 1 << 9))
    code, _, _ = run(capsys, "collect-node", tmp_path / "dump", "--from-node", node.root)
    assert code == 0
    roots = (node.root, tmp_path / "dump")
    told = [json.loads(run(capsys, "check-node", "--from-node", root, "--json")[1])["findings"] for root in roots]
    here, there = ([(one["requirement"], one["message"]) for one in findings] for findings in told)
    assert here == there
    assert len(here) > 2


def test_a_dump_may_be_packed(node, tmp_path, capsys):
    node.moves("db-uid", "main", "0-31")
    run(capsys, "collect-node", tmp_path / "dump", "--from-node", node.root)
    with tarfile.open(tmp_path / "dump.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "dump", "dump")
    code, out, _ = run(capsys, "check-node", "--from-node", tmp_path / "dump.tar.gz", "--json")
    assert (code, json.loads(out)["errors"]) == (1, 1)


def test_a_dump_holds_no_secrets(node, tmp_path, capsys):
    assert run(capsys, "collect-node", tmp_path / "dump", "--from-node", node.root)[0] == 0
    dumped = [path for path in (tmp_path / "dump").rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(dumped) > 100
    for path in dumped:
        assert b"secret" not in path.read_bytes(), path
        assert b"a-token" not in path.read_bytes(), path
    assert os.stat(tmp_path / "dump").st_mode & 0o077 == 0


def test_what_device_plugins_answered_is_left_out_of_a_dump(tmp_path, capsys):
    gpu = {"example.com/gpu": 1}
    node = FakeNode(tmp_path / "node", "two-nodes-devices", STATIC, (pod("db", container("main", 2, **gpu)),))
    node.change_devices(lambda entries: entries.__setitem__(0, replace(entries[0], response=b"a-token")))
    assert run(capsys, "collect-node", tmp_path / "dump", "--from-node", node.root)[0] == 0
    text = (tmp_path / "dump" / ROOT_DIR / "device-plugins" / "kubelet_internal_checkpoint").read_text()
    assert json.loads(text)["Data"]["PodDeviceEntries"][0]["AllocResp"] == ""
    assert run(capsys, "check-node", "--from-node", tmp_path / "dump")[0] == 0


def test_a_dump_is_not_written_over_anything(node, tmp_path, capsys):
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "kept").write_text("kept")
    code, _, err = run(capsys, "collect-node", tmp_path / "dump", "--from-node", node.root)
    assert code == 2
    assert "is not empty" in err
    assert [path.name for path in (tmp_path / "dump").iterdir()] == ["kept"]


def test_nothing_is_written_to_the_node(node, capsys):
    before = {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in node.root.rglob("*")}
    run(capsys, "check-node", "--from-node", node.root)
    assert before == {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in node.root.rglob("*")}


def test_the_history_follows_no_link_and_a_place_that_takes_none_is_told(node, tmp_path, capsys):
    other, link = tmp_path / "other", tmp_path / "link.jsonl"
    other.write_text("kept")
    link.symlink_to(other)
    run(capsys, "check-node", "--from-node", node.root, "--history", link)
    assert other.read_text() == "kept"
    assert not link.is_symlink()
    code, _, err = run(capsys, "check-node", "--from-node", node.root, "--history", other / "file.jsonl")
    assert code == 2
    assert "cannot be written" in err


def test_what_was_seen_is_a_history_that_judges_the_same(node, tmp_path, capsys):
    node.moves("db-uid", "main", "0-31")
    run(capsys, "check-node", "--from-node", node.root, "--history", tmp_path / "seen.jsonl")
    with (tmp_path / "seen.jsonl").open() as lines:
        unmet = {name for history in read_histories(lines) for name in judge(history).unmet}
    assert unmet == {FINDING}
    assert run(capsys, "judge", tmp_path / "seen.jsonl")[0] == 1
    code, _, err = run(capsys, "judge", tmp_path / "seen.jsonl", "--again")
    assert code == 2
    assert "cannot be asked" in err


def test_watching_says_what_is_new_and_what_is_gone(node, capsys, monkeypatch):
    changes = iter([lambda: node.moves("db-uid", "main", "0-31"), lambda: node.moves("db-uid", "main", "1,17"), None])
    monkeypatch.setattr("numa_conformance.cli.check_node.time.sleep", lambda _: next(changes)())
    code, out, _ = run(capsys, "check-node", "--from-node", node.root, "--watch", "--passes", 3)
    assert code == 0
    passes = [line for line in out.splitlines() if line.startswith("pass ")]
    assert passes[0].startswith("pass 1: 0 new, 0 gone")
    assert passes[1:] == ["pass 2: 1 new, 0 gone, 0 as before", "pass 3: 0 new, 1 gone, 0 as before"]
    assert "+ error: the cgroup of container db-uid/main" in out
    assert "- error: the cgroup of container db-uid/main" in out


def test_watching_writes_a_line_of_json_for_each_pass(node, capsys, monkeypatch):
    monkeypatch.setattr("numa_conformance.cli.check_node.time.sleep", lambda _: node.moves("db-uid", "main", "0-31"))
    code, out, _ = run(capsys, "check-node", "--from-node", node.root, "--watch", "--passes", 2, "--json")
    first, second = map(json.loads, out.splitlines())
    assert (code, len(first["new"]), len(second["new"])) == (1, 0, 1)


def test_a_host_laid_under_a_folder_is_alive(node, capsys, monkeypatch):
    """As in a container that has the host's root: its ``proc`` is a living one, which dumps are not."""
    (node.root / "proc" / "self").symlink_to("4242")
    slept = []
    monkeypatch.setattr("numa_conformance.doctor.look.time.sleep", slept.append)
    assert run(capsys, "check-node", "--from-node", node.root)[0] == 0
    assert slept == [1.0]


def test_state_that_changes_at_every_pass_is_not_held_against_containers(node, capsys, monkeypatch):
    (node.root / "proc" / "self").symlink_to("4242")
    node.moves("db-uid", "main", "0-31")
    text, count = node.read(f"{ROOT_DIR}/cpu_manager_state"), iter(range(1, 100))

    def names(tree):
        node.write(f"{ROOT_DIR}/cpu_manager_state", text + " " * next(count))
        return names_of_containers(tree)

    monkeypatch.setattr("numa_conformance.doctor.cgroups.names_of_containers", names)
    monkeypatch.setattr("numa_conformance.doctor.look.time.sleep", lambda _: None)
    code, out, _ = run(capsys, "check-node", "--from-node", node.root)
    assert code == 0
    assert "not seen: the state files changed at every pass" in out


def test_colour_is_for_terminals_that_want_it(node, capsys, monkeypatch):
    node.moves("db-uid", "main", "0-31")
    assert "\x1b" not in run(capsys, "check-node", "--from-node", node.root)[1]


def test_a_root_that_is_no_node_is_wrong_usage(tmp_path, capsys):
    code, _, err = run(capsys, "check-node", "--from-node", tmp_path)
    assert code == 2
    assert "there are no CPUs in this tree" in err


def test_a_node_without_a_kubelet_is_wrong_usage(node, capsys):
    for path in (node.root / ROOT_DIR / "config.yaml", node.root / "proc/4242/cmdline"):
        path.unlink()
    code, _, err = run(capsys, "check-node", "--from-node", node.root)
    assert code == 2
    assert "--config FILE" in err


def test_the_program_is_there(node):
    command = [sys.executable, "-m", "numa_conformance", "check-node", "--from-node", str(node.root)]
    assert subprocess.run(command, check=False, capture_output=True, timeout=PATIENCE).returncode == 0


LISTENS = """
import os, sys
outside, dump = sys.argv[1:]
ours = tuple(os.path.realpath(path) for path in (dump, sys.prefix, sys.base_prefix, outside))

def heard(event, args):
    if event in ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.symlink", "os.link", "os.chmod", "os.truncate",
                 "socket.connect", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork"):
        print("DOES", event, args, file=sys.stderr)
    if event == "open" and isinstance(args[0], str):
        path, mode, flags = args
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            print("WRITES", path, file=sys.stderr)
        elif not os.path.realpath(path).startswith(ours):
            print("READS", path, file=sys.stderr)

from numa_conformance.cli import main
sys.addaudithook(heard)
main(["check-node", "--from-node", dump])
"""


def test_a_check_of_a_dump_writes_nothing_and_reads_nothing_outside_of_it(node):
    node.moves("db-uid", "main", "0-31")
    package = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-B", "-c", LISTENS, package, str(node.root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "error: the cgroup of container db-uid/main" in done.stdout
    heard = {line for line in done.stderr.splitlines() if line.startswith(("DOES", "WRITES", "READS"))}
    assert {line for line in heard if not line.startswith("READS /etc/localtime")} == set()
