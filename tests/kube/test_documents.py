import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.kube import read_cluster, read_documents

POD = """
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec: {containers: [{name: c, resources: {limits: {cpu: 1, memory: 1Gi}}}]}
"""
TEMPLATE = "template: {spec: {containers: [{name: c}]}}"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "input.yaml"


def names(path: Path) -> list[str]:
    return [pod.name for pod in read_cluster(path).pods]


def faults(path: Path) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read_cluster(path)
    return [str(fault).replace(str(path), "F") for fault in caught.value.faults]


def test_reads_a_stream_of_documents(file: Path) -> None:
    file.write_text("---".join([POD.replace("NAME", "a"), "\n", POD.replace("NAME", "b")]))
    assert names(file) == ["a", "b"]


def test_reads_lists_and_json(file: Path) -> None:
    pod = {"kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "c"}]}}
    nested = {"kind": "List", "items": [{**pod, "metadata": {"name": "b"}}]}
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod, nested]}))
    assert names(file) == ["a", "b"]


def test_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = SimpleNamespace(buffer=io.BytesIO(POD.replace("NAME", "a").encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert names(Path("-")) == ["a"]


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        ("Deployment", f"{{replicas: 2, {TEMPLATE}}}", ["w-0", "w-1"]),
        ("StatefulSet", f"{{replicas: 0, {TEMPLATE}}}", []),
        ("ReplicaSet", f"{{{TEMPLATE}}}", ["w-0"]),
        ("DaemonSet", f"{{{TEMPLATE}}}", ["w-0"]),
        ("Job", f"{{parallelism: 3, {TEMPLATE}}}", ["w-0", "w-1", "w-2"]),
        ("CronJob", f"{{jobTemplate: {{spec: {{{TEMPLATE}}}}}}}", ["w-0"]),
    ],
)
def test_a_workload_becomes_its_pods(file: Path, kind: str, spec: str, expected: list[str]) -> None:
    file.write_text(f"kind: {kind}\nmetadata: {{name: w, namespace: n}}\nspec: {spec}\n")
    pods = read_cluster(file).pods
    assert [pod.name for pod in pods] == expected
    assert [pod.uid for pod in pods] == [f"n/{name}" for name in expected]


def test_two_pods_of_one_uid_are_both_named(file: Path) -> None:
    file.write_text(POD.replace("NAME", "a, uid: u") + "---" + POD.replace("NAME", "b, uid: u"))
    (fault,) = faults(file)
    assert "default/a and default/b" in fault


def test_faults_name_the_document_and_the_field(file: Path) -> None:
    file.write_text(POD.replace("NAME", "a") + "---" + POD.replace("NAME", "b").replace("1Gi", "1GB"))
    (fault,) = faults(file)
    assert fault.startswith("F: document 2: spec.containers[0].resources.limits.memory: ")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("kind: Pod\nmetadata: {name: [}\n", "F:2:19: "),
        ("kind: Pod\nkind: Pod\n", "F:2:1: "),
        ('{"kind": "Pod",\n "kind": "Pod"}', "F:2:2: "),
        ("kind: !!python/object/apply:os.getcwd []\n", "F:1:7: "),
        ("a:\n\tb: c\n", "F:2:1: "),
    ],
)
def test_a_fault_of_syntax_has_line_and_column(file: Path, text: str, place: str) -> None:
    file.write_text(text)
    assert faults(file)[0].startswith(place)


def laughs() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    return "\n".join(lines)


def merges() -> str:
    lines = ["a0: &a0 {k: 1, j: 2}"]
    lines += [f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}" for i in range(1, 60)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (laughs(), "expands"),
        (merges(), "merge keys"),
        ("a: " + "[" * 100_000 + "]" * 100_000, "deep"),
        ("[" * 100_000 + "]" * 100_000, "deep"),
        ("{a: " * 50_000, "deep"),
        ("- " * 50_000, "deep"),
        ("a: &a [*a]", "deep"),
        ("a: " + "9" * 10_000, ""),
        *((f"a: {base}{'1' * 20_000}", "too many digits") for base in ("0x", "0b", "0")),
        ("", "no document"),
        ("hello", "not a Kubernetes object"),
        ("? [a]\n: b\n", ""),
    ],
    ids=[
        "laughs",
        "merges",
        "flow",
        "json",
        "maps",
        "block",
        "cycle",
        "number",
        "hex",
        "binary",
        "octal",
        "empty",
        "scalar",
        "key",
    ],
)
def test_a_hostile_or_foreign_file_is_refused(file: Path, text: str, why: str) -> None:
    file.write_text(text)
    assert why in faults(file)[0]


def test_merge_keys_work_where_users_use_them(file: Path) -> None:
    file.write_text("x: &x {k: 1}\nd: {d: {d: &b {<<: *x, k: 2}}}\nc: {<<: *b, j: 5}\n")
    assert read_documents(file)[0].value["c"] == {"k": 2, "j": 5}


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    assert "No such file" in faults(tmp_path / "missing.yaml")[0]


def test_yaml_is_bounded_more_tightly_than_json(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numa_conformance.documents.MAX_YAML_BYTES", 60)
    monkeypatch.setattr("numa_conformance.documents.MAX_JSON_BYTES", 90)
    pod = '{"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c"}]}}'
    file.write_text(pod)
    assert read_cluster(file).pods[0].name == "a"
    file.write_text("# not JSON\n" + pod)
    assert "YAML of more than 60 bytes; JSON may have 90" in faults(file)[0]
    file.write_text(pod + " " * 40)
    assert "is larger than 90 bytes" in faults(file)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" + "1, " * 40 + "1]", "the document has more than 30 values"),
        ("[" + "[], " * 40 + "1]", "the document has more than 30 values"),
        ("# YAML\n[" + "a, " * 40 + "a]", "a document has more than 30 keys and values"),
        ("- - a\n" * 20, "a document has more than 30 keys and values"),
        ("a: b\n" * 20, "a document has more than 30 keys and values"),
    ],
    ids=["numbers", "lists", "flow", "block", "keys"],
)
def test_too_many_values_are_refused_before_they_are_built(
    file: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setattr("numa_conformance.documents.MAX_NODES", 30)
    monkeypatch.setattr("numa_conformance.documents.MAX_YAML_NODES", 30)
    monkeypatch.setattr("numa_conformance.documents._check_extent", lambda document: None)
    file.write_text(text)
    assert said in faults(file)[0]


def test_commas_inside_of_texts_are_no_values(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numa_conformance.documents.MAX_NODES", 30)
    file.write_text('{"a": "' + r"\", [{" * 40 + '"}')
    assert read_documents(file)[0].value == {"a": '", [{' * 40}


def test_each_document_may_have_as_many_keys_and_values(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numa_conformance.documents.MAX_YAML_NODES", 10)
    file.write_text("---\n{a: 1, b: 2}\n" * 20)
    assert len(read_documents(file)) == 20


def test_pods_without_metadata_are_named_after_their_container(file: Path) -> None:
    page = "spec: {containers: [{name: nginx}]}\n"
    file.write_text(
        "---\n".join([page, page, "apiVersion: v1\nkind: PodList\nitems: [{spec: {containers: [{name: a}]}}]\n"])
    )
    assert names(file) == ["nginx", "nginx-2", "a"]
    another = file.with_name("another.yaml")
    another.write_text(page)
    assert [pod.uid for pod in read_cluster(file, another).pods][3:] == ["default/nginx-3"]


def test_a_pod_without_metadata_and_container_is_told_what_it_lacks(file: Path) -> None:
    file.write_text("spec: {containers: []}\n")
    assert faults(file) == ["F: spec.containers: Required value: a pod needs at least one container"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("!!bool foo", "not YAML: 'foo'"),
        ("? [a, b]\n: 1", "a key is a list or a mapping"),
        ("1: a\n'1': b", "the key '1' is given twice"),
        ('{"kind": "Pod", "metadata": {"name": "\\ud800"}}', r"the text '\ud800' is no Unicode"),
        ('{"kind": "Pod", "\\udfff": 1}', r"the text '\udfff' is no Unicode"),
    ],
)
def test_what_no_document_of_kubernetes_can_hold_is_refused(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    (fault,) = faults(file)
    assert said in fault


def test_numbers_as_keys_are_the_texts_they_are_written_as(file: Path) -> None:
    """As numbers, these would all fall into one place of a dictionary, and take an hour."""
    file.write_text("\n".join(f"{number * (2**61 - 1)}: a" for number in range(20_000)))
    (document,) = read_documents(file)
    assert list(document.value)[:2] == ["0", "2305843009213693951"]


TWO = POD.replace("NAME", "a"), POD.replace("NAME", "b")
AS_JSON = '{"kind": "Pod", "metadata": {"name": "NAME"}, "spec": {"containers": [{"name": "c"}]}}\n'


@pytest.mark.parametrize(
    "text",
    [
        AS_JSON.replace("NAME", "a") + AS_JSON.replace("NAME", "b"),
        json.dumps(json.loads(AS_JSON.replace("NAME", "a")), indent=2) + AS_JSON.replace("NAME", "b"),
        f"me@host:~$ cat a.yaml{TWO[0]}\n---{TWO[1]}",
        f"$ kubectl get -o json\n{AS_JSON.replace('NAME', 'a')}{AS_JSON.replace('NAME', 'b')}",
        f"kubectl get pods -o json | jq .\n{AS_JSON.replace('NAME', 'a')}{AS_JSON.replace('NAME', 'b')}",
        f"$ kubectl get pods -o yaml | grep -A9 apiVersion:{TWO[0]}---{TWO[1]}",
        f"```yaml{TWO[0]}---{TWO[1]}```\n",
        f"This is mine:\n\n```{TWO[0]}```\n\nand that: the other\n~~~ yaml{TWO[1]}~~~\nThanks!\n",
        f"{TWO[0]}---{TWO[1]}root@node-1:~# \n",
        f"[root@node-1 ~]# cat a.yaml{TWO[0]}\n---{TWO[1]}[root@node-1 ~]# ",
        f"{AS_JSON.replace('NAME', 'a')}{AS_JSON.replace('NAME', 'b').strip()}root@node-1:~# ",
        f"{TWO[0]}---{TWO[1]}```\n",
        f"$ curl localhost/a\n{AS_JSON.replace('NAME', 'a')}{AS_JSON.replace('NAME', 'b')}$ exit\n$ \n",
        "\n".join(f"> {line}" for line in f"```yaml{TWO[0]}---{TWO[1]}```".splitlines()),
    ],
    ids=[
        "JSON lines",
        "JSON in a row",
        "a prompt",
        "a prompt before JSON",
        "a command",
        "a prompt like a field",
        "a fence",
        "two fences in prose",
        "a prompt behind",
        "prompts around",
        "a prompt in the last line",
        "the end of a fence",
        "short prompts",
        "quoted",
    ],
)
def test_reads_what_is_pasted(file: Path, text: str) -> None:
    file.write_text(text)
    assert names(file) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (AS_JSON[:30], "F:1:30: not JSON: Unterminated string starting at (accepted: the text to its end)"),
        (
            "kind: Pod\nmetadata:\n  name: a\n  ...\nspec: {}\n",
            "F:5:1: not YAML: could not find expected ':' (accepted: every line of it: dots stand for",
        ),
        (AS_JSON + '{"a": ]}', "F:2:7: not JSON: Expecting value"),
        (
            "kind: Pod\n\tname: x\n",
            "F:2:1: not YAML: found a tab character that violates indentation (accepted: blanks in",
        ),
        (
            "apiVersion: v1\nitems:\n- {kind: Pod}\n",
            "F: kind: is missing: a List ends with it, and may be cut off (accepted",
        ),
        ("$ cat x\na: 1\nb c\n", "F:2:2: not YAML: mapping values are not allowed in this context"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_first_fault(file: Path, text: str, words: str) -> None:
    file.write_text(text)
    (fault,) = faults(file)
    assert fault.startswith(words)
