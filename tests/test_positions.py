"""Where in a file a fault stands."""

import pytest

from numa_conformance.cli import main
from numa_conformance.documents import read_documents
from numa_conformance.errors import Fault, UsageError
from numa_conformance.forms import with_position

TEXT = """\
kind: List
items:
  - kind: Pod
    spec:
      containers:
        - {name: c, resources: {limits: {nvidia.com/gpu: "1", cpus: 2}}}
---
cpuManagerPolicie: static
kubeReserved:
  cpu: 1
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "f.yaml").write_text(TEXT)
    return tmp_path / "f.yaml"


@pytest.mark.parametrize(
    ("path", "position"),
    [
        ("document 1: items[0]: spec.containers[0].resources.limits.cpus", "6:63"),
        ("document 1: items[0]: spec.containers[0].resources.limits.nvidia.com/gpu", "6:42"),
        ("document 1: items[0]: metadata.name", "3:5"),
        ("document 2: cpuManagerPolicie", "8:1"),
        ("document 2: kubeReserved.cpu", "10:3"),
    ],
)
def test_a_field_is_found_or_what_should_hold_it(file, path, position):
    assert with_position(Fault(f"{file}: {path}", "wrong")).place == f"{file}:{position}: {path}"


@pytest.mark.parametrize("place", ["", "--flags: --x", "f: document 9: a", "f: document 1: nothing.here", "no: such"])
def test_what_is_not_found_stays_as_it_is(file, place):
    fault = Fault(place.replace("f: ", f"{file}: "), "wrong")
    assert with_position(fault) == fault


def test_a_command_tells_line_and_column(file, capsys):
    file.write_text("kind: KubeletConfiguration\ncpuManagerPolicie: static\n")
    with pytest.raises(SystemExit):
        main(["lint", str(file)])
    assert f"{file}:2:1: cpuManagerPolicie: no effect" in " ".join(capsys.readouterr().out.split())
    file.write_text("kind: KubeletConfiguration\nkubeReserved: {cpu: x}\n")
    with pytest.raises(SystemExit):
        main(["lint", str(file)])
    assert f"error: {file}:2:16: kubeReserved.cpu: 'x'" in " ".join(capsys.readouterr().err.split())


def test_json_that_is_cut_off_is_not_called_yaml(tmp_path):
    (tmp_path / "cut.json").write_text('{"kind": "Pod",\n "spec": ')
    with pytest.raises(UsageError, match=r"cut\.json:2:10: not JSON: Expecting value"):
        read_documents(tmp_path / "cut.json")
