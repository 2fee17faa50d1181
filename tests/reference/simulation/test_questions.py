"""``simulate`` and ``explain`` from Python: files, texts and objects in; text, data and a picture out."""

import ast
import contextlib
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import numa_conformance
from numa_conformance import KubeletConfiguration, StartError, UsageError, explain, load_machine, simulate
from numa_conformance.cli import main
from numa_conformance.testing import guaranteed, static

EXAMPLES = Path(__file__).parents[3] / "examples" / "node"
MACHINE = "amd-milan-7763-nps4"
CONFIG = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\ntopologyManagerPolicy: single-numa-node\n"
POD = """\
kind: Pod
metadata: {name: a}
spec: {containers: [{name: c, resources: {limits: {cpu: 2, memory: 1Gi}}}]}
"""
FOREIGN = {"click", "hypothesis", "_pytest", "pytest", "rich", "socket", "subprocess"}
if sys.version_info < (3, 11):
    FOREIGN.discard("subprocess")  # Python's own uuid imports it


@pytest.fixture
def printed(capsys):
    """Runs a command, and returns what it prints, less the newline at the end."""

    def printed(command, *arguments):
        words = ["--machine", MACHINE, "--config", EXAMPLES / "kubelet.yaml", *arguments, EXAMPLES / "pods.yaml"]
        with pytest.raises(SystemExit):
            main([command, *map(str, words)])
        return capsys.readouterr().out.removesuffix("\n")

    return printed


def test_an_answer_is_what_the_command_prints(printed):
    answer = simulate(MACHINE, EXAMPLES / "kubelet.yaml", [EXAMPLES / "pods.yaml"])
    assert answer.text == printed("simulate")
    assert json.dumps(answer.data, indent=2, ensure_ascii=False) == printed("simulate", "--json")
    assert answer.svg.removesuffix("\n") == printed("simulate", "--svg")
    assert (answer.admitted, answer.notices) == (False, ())
    assert json.loads(answer.state_files["cpu_manager_state"])["policyName"] == "static"


def test_an_explanation_is_what_the_command_prints(printed):
    answer = explain(MACHINE, EXAMPLES / "kubelet.yaml", EXAMPLES / "pods.yaml", "1.33")
    assert answer.text == printed("explain", "--kubernetes-version", "1.33")
    assert json.dumps(answer.data, indent=2) == printed("explain", "--kubernetes-version", "1.33", "--json")


def test_a_comparison_is_what_the_command_prints(printed):
    before, after = (simulate(MACHINE, EXAMPLES / "kubelet.yaml", EXAMPLES / "pods.yaml", v) for v in ("1.37", "1.27"))
    compared = before.compare(after)
    assert compared.text == printed("simulate", "--compare-version", "1.27")
    assert json.dumps(compared.data, indent=2) == printed("simulate", "--compare-version", "1.27", "--json")
    assert compared.svg.removesuffix("\n") == printed("simulate", "--compare-version", "1.27", "--svg")


@pytest.mark.parametrize(
    ("config", "pods"),
    [
        (CONFIG, POD),
        (CONFIG + "\n", [POD]),
        (json.dumps(static(topology="single-numa-node")), json.dumps(guaranteed("a", 2))),
        (static(topology="single-numa-node"), [guaranteed("a", 2)]),
        (KubeletConfiguration.from_dict(static(topology="single-numa-node")), guaranteed("a", 2)),
    ],
)
def test_texts_and_objects_are_read_as_files_are(config, pods):
    answer = simulate("t1-one-socket-smt2", config, pods)
    assert answer.admitted
    assert answer.text.startswith("default/a (Guaranteed): admitted\n    c: exclusive CPUs 1,5\n")


def test_a_machine_is_an_object_or_a_text_too():
    machine = load_machine("t1-one-socket-smt2")
    text = "CPU NODE SOCKET CORE\n" + "".join(f"{cpu} 0 0 {cpu % 4}\n" for cpu in range(8))
    for each in (machine, text):
        assert "exclusive CPUs 1,5" in simulate(each, CONFIG, POD).text


def test_without_pods_the_node_is_empty():
    assert simulate("t1-one-socket-smt2", "\n", "\n").text.endswith("| 3,7 |\n\n0 admitted, 0 refused")


def test_every_fault_names_the_text_its_line_and_the_field():
    wrong = POD.replace("cpu: 2", "cpu: zz")
    with pytest.raises(UsageError) as raised:
        simulate(MACHINE, CONFIG, [POD, wrong + "---\n- restat\n"])
    assert [fault.place for fault in raised.value.faults] == [
        "pods[1]:5:3: document 2: [0]: restat",
        "pods[1]:3:52: document 1: spec.containers[0].resources.limits.cpu",
    ]
    with pytest.raises(UsageError, match=r"^config:2:1: reservedSystemCPUs: is a number"):
        simulate(MACHINE, "kind: KubeletConfiguration\nreservedSystemCPUs: 3\n")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"machine": "amd-milan"}, "no machine is called 'amd-milan' .*did you mean 'amd-milan-7763-nps4'"),
        ({"machine": ""}, "machine: is empty"),
        ({"config": 3}, "config: is of type int"),
        ({"pods": 3}, "pods: is of type int"),
        ({"version": "1.2"}, "version: '1.2' is not a Kubernetes version"),
        ({"level": "exakt"}, "level: 'exakt' is not accepted .*did you mean 'exact'"),
        ({"flags": "--reserved-cpu=0"}, "there is no flag --reserved-cpu here"),
    ],
)
def test_a_wrong_argument_is_refused_by_its_name(wrong, message):
    with pytest.raises(UsageError, match=message):
        simulate(**{"machine": MACHINE, "config": CONFIG, "pods": POD, **wrong})


def test_a_kubelet_that_fails_to_start_is_an_error_with_hints():
    with pytest.raises(StartError) as raised:
        simulate("t1-one-socket-smt2", "cpuManagerPolicy: static\n", POD)
    assert raised.value.hints


def test_what_a_person_should_know_is_in_the_answer_and_not_printed(capsys):
    answer = simulate("t1-one-socket-smt2", CONFIG + "fooBar: 1\n", POD.replace("1Gi", "1Gi, a.io/b: 1"), "1.34.1")
    assert [notice.partition(",")[0] for notice in answer.notices] == [
        "Kubernetes 1.34.1: level exact was shown of 1.34.10; until 1.34.7 of a container that was started again before"
        " the kubelet was",
        "config: the kubelet passes over fooBar",
        "t1-one-socket-smt2 has no a.io/b",
    ]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    "other",
    [("t1-one-socket-smt2", CONFIG), ("t1-one-socket-smt2", CONFIG, f"{POD}---\n- restart\n"), (MACHINE, CONFIG, POD)],
)
def test_answers_to_other_questions_are_not_compared(other):
    answer = simulate("t1-one-socket-smt2", CONFIG, POD)
    with pytest.raises(UsageError, match="other machines, pods or steps"):
        answer.compare(simulate(*other))


def test_a_pod_that_a_step_moves_is_named_at_the_first_step(tmp_path):
    (tmp_path / "other.yaml").write_text(CONFIG.replace("'0'", "'0-1'"))
    lives = [
        f"{POD}---\n- lose: cpu_manager_state\n- reboot: {{config: {config}}}\n- restart: {{config: {config}}}\n"
        for config in ("null", tmp_path / "other.yaml")
    ]
    before, after = (simulate("t1-one-socket-smt2", CONFIG, life) for life in lives)
    assert before.compare(after).rows == [
        ("then reboot", "moved", "default/a: CPUs 1,5, NUMA 0", "default/a: CPUs 2,6, NUMA 0")
    ]


PARTS = """- restart|kind: Pod|metadata:|{name: a}|spec:|  containers:|- {name: c}|---|: |{|]|- delete: a
cpuManagerPolicy: static|reservedSystemCPUs: '0'|name: m|sockets: 2|node 0 cpus: 0 1""".replace("\n", "|").split("|")
TEXTS = st.lists(st.sampled_from(PARTS), max_size=8).map("\n".join) | st.text(max_size=30)


@given(TEXTS, TEXTS, TEXTS)
def test_any_text_is_answered_or_refused(machine, config, pods):
    for texts in ((machine + "\n", config + "\n", pods + "\n"), ("t1-one-socket-smt2", CONFIG, f"{pods}\n")):
        with contextlib.suppress(UsageError, StartError):
            assert simulate(*texts).text


def test_nothing_of_a_terminal_is_imported_nor_what_a_browser_lacks():
    program = f"""
import sys, numa_conformance
before = sorted(name for name in sys.modules if name.startswith("numa_conformance."))
answer = numa_conformance.simulate({MACHINE!r}, {CONFIG!r}, {POD!r} + "---\\n- restart\\n", explain=True)
other = numa_conformance.simulate({MACHINE!r}, {CONFIG!r}, {POD!r} + "---\\n- restart\\n", "1.30")
answer.text, answer.svg, answer.data, answer.state_files
compared = answer.compare(other)
compared.text, compared.svg, compared.data
explained = numa_conformance.explain({MACHINE!r}, {CONFIG!r}, {POD!r}.replace("cpu: 2", "cpu: 90"), "1.30")
explained.text, explained.svg, explained.data
print(before, sorted({FOREIGN!r} & sys.modules.keys()))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("['numa_conformance.lazy_names', 'numa_conformance.moved'] []\n", "")


@pytest.mark.parametrize(
    ("module", "others"),
    [
        ("__init__", {"moved"}),
        ("machines", set()),
        ("testing", set()),
        ("wire/__init__", {"serve"}),
        ("reference/target/__init__", set()),
    ],
)
def test_editors_see_the_names_that_are_imported_when_they_are_used(module, others):
    name = f"numa_conformance.{module}".replace("/", ".").removesuffix(".__init__")
    public = importlib.import_module(name)
    package = name if module.endswith("__init__") else "numa_conformance"
    stub = ast.parse((Path(numa_conformance.__file__).parent / f"{module}.pyi").read_text(encoding="utf-8"))
    shown = {name.name: each.module for each in stub.body if isinstance(each, ast.ImportFrom) for name in each.names}
    assert {*public.__all__, *others} == shown.keys()
    for each in public.__all__:
        assert getattr(public, each) is getattr(importlib.import_module(f"{package}.{shown[each]}"), each)
    assert dir(public) == public.__all__
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        public.simulat  # noqa: B018
