"""Faults planted in what both writes and reads: a judge that used the reference would not see them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import numa_conformance
from asked_in_full import deep
from numa_conformance.files import data_folder


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the package, to be found before the installed one."""
    folder = tmp_path / "copy" / "numa_conformance"
    shutil.copytree(Path(numa_conformance.__file__).parent, folder)
    for data in ("conformance", "fixtures"):
        if not (folder / data).exists():
            shutil.copytree(data_folder(data), folder / data)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return folder


def _plant(folder, **misspelt):
    for name, wrong in misspelt.items():
        files = [file for file in folder.glob("*.py") if name in file.read_text()]
        assert files, f"{name} is nowhere"
        for file in files:
            file.write_text(file.read_text().replace(name, wrong))


def _failed(copy):
    command = [sys.executable, "-m", "pytest", "--numa-conformance", "--numa-requirement", "host/*"]
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    report = copy.parent / "report"
    command += ["-q", "-p", "no:cacheprovider", "--numa-report", str(report)]
    run = subprocess.run(command, cwd=copy.parents[1], env=environment, capture_output=True, text=True)
    assert run.returncode == 1, run.stdout + run.stderr
    cases = json.loads((report / "report.json").read_text())["cases"]
    return {case["id"] for case in cases if case["verdict"] == "failed"}


@deep
def test_misspelt_files_of_cores_and_folders_of_pods_are_found_out(copy):
    _plant(copy / "hostfs", core_cpus="coar_cpus", thread_siblings="thread_sibling", core_id="coar_id")
    _plant(copy / "hostfs", **{'f"pod{': 'f"pot{'})
    failed = _failed(copy)
    assert "host/test_discovery::test_finds_what_the_host_has[kvm-guest]" in failed
    assert "host/test_reconcile::test_a_cgroup_that_comes_late_gets_its_cpuset" in failed
    assert "host/test_reconcile::test_cpusets_reach_the_cgroups[1-cgroupfs]" in failed


@deep
def test_a_misspelt_folder_of_nodes_and_slices_and_list_of_cpus_are_found_out(copy):
    _plant(copy / "hostfs", **{"devices/system/node": "devices/system/nodes", "}/online": "}/on"})
    _plant(copy / "hostfs", **{'"kubepods.slice"': '"kubepods.slices"'})
    failed = _failed(copy)
    assert "host/test_discovery::test_finds_what_the_host_has[one-socket]" in failed
    assert "host/test_discovery::test_finds_what_the_host_has[interleaved-sockets]" in failed
    assert "host/test_reconcile::test_cpusets_reach_the_cgroups[2-systemd]" in failed
