"""``numa-conformance diff``: sides, exit codes, what it prints."""

import json
import sys
from pathlib import Path

import pytest

from asked_in_full import deep

FEW = ("--budget", "0.3%")
SHIM_OF_138 = """
import msgspec
from numa_conformance.reference.target import ReferenceTarget
class Newer(ReferenceTarget):
    def describe(self, request):
        return msgspec.structs.replace(super().describe(request), kubernetes_version="1.38")
def make():
    return Newer("exact", "1.36")
"""


def test_what_does_not_differ_exits_with_0(run):
    code, out, _ = run("diff", "reference:exact@1.35", "reference@1.35", *FEW)
    assert code == 0
    assert "A: numa-conformance reference (exact)" in out
    assert ": 0 differ, in 0 kinds" in out


@deep
def test_two_levels_differ_by_quirks(run, files):
    code, out, _ = run("diff", "reference:documented", "reference:exact@1.32", *FEW, "--json")
    assert code == 1
    told = json.loads(out)
    assert (told["a"]["kubernetesVersion"], told["b"]["kubernetesVersion"]) == ("1.32", "1.32")
    assert told["a"]["asked"] == "reference:documented"
    assert told["seed"] == 0
    assert "cpu-manager/static" in told["features"]
    assert "node" in told["surfaces"]
    assert told["histories"] >= told["differing"] == sum(kind["histories"] for kind in told["kinds"]) > 0
    assert any(kind["quirks"] for kind in told["kinds"])
    for kind in told["kinds"]:
        assert kind["example"]["differences"]
        assert {"path", "a", "b"} == set(kind["example"]["differences"][0])
        assert kind["example"]["scenario"]["kind"] in ("question", "admission")
        assert kind["machines"]
    recorded = [{**kind["example"]["scenario"], "id": str(number)} for number, kind in enumerate(told["kinds"])]
    path = files("kinds.jsonl", "".join(json.dumps(one) + "\n" for one in recorded))
    assert run("replay", path, "--ignore-messages")[0] == 0


@deep
def test_kinds_are_told_with_quirks_and_both_placements(run):
    code, out, _ = run("diff", "reference:exact@1.32", "reference:documented", *FEW, "--ignore", "cpu_quota")
    assert code == 1
    assert ".cpu_quota" not in out
    assert out.startswith("A: numa-conformance reference (exact)")
    assert "\n1. " in out
    assert "quirk: " in out
    assert ": A " in out


@pytest.mark.parametrize(
    ("side", "error"),
    [
        ("referense:exact", "did you mean 'reference'?"),
        ("reference:exat", "did you mean 'exact'?"),
        ("reference:exact@1.99", "reference:exact@1.99: '1.99' is not a Kubernetes version"),
        ("target:", "or 'dra:./my-driver --kubeconfig={kubeconfig}')\n"),
        ("./my-kubelet", "'command:./my-kubelet --stdio'"),
    ],
)
def test_a_side_that_is_none_is_refused(run, side, error):
    code, out, err = run("diff", "reference", side)
    assert (code, out) == (2, "")
    assert error in err


def test_a_pod_at_which_a_kubelet_crashes_has_no_answer(run, files):
    wanted = "{limits: {cpu: 1, memory: 1Gi, hugepages-2Mi: 4Mi}}"
    first = f"metadata: {{name: a}}\nspec: {{containers: [{{name: c, resources: {wanted}}}]}}\n"
    pods = files("pods.yaml", f"{first}---\nmetadata: {{name: b}}\nspec: {{containers: [{{name: c}}]}}\n")
    policies = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\nmemoryManagerPolicy: Static\n"
    reserved = "kubeReserved: {memory: 924Mi}\nreservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}]\n"
    config = files("kubelet.yaml", f"kind: KubeletConfiguration\n{policies}{reserved}")
    words = ("--machine", "amd-milan-7763-nps4", "--config", config)
    code, out, err = run("diff", "reference@1.34", "reference@1.37", pods, *words)
    assert (code, "pods admitted                       1  1" in out, err) == (0, True, "")


def test_a_budget_that_is_none_is_refused(run):
    code, _, err = run("diff", "reference", "reference", "--budget", "soon")
    assert code == 2
    assert "--budget: 'soon' is no budget" in err


@pytest.mark.parametrize(
    "sides", [("reference", "command:/no/such/program"), ("command:/no/such/program", "reference")]
)
def test_a_target_that_cannot_be_asked_exits_with_3(run, sides):
    code, _, err = run("diff", *sides)
    assert code == 3
    assert "/no/such/program" in err


def test_a_reference_without_a_version_follows_the_target(run, files, tmp_path, monkeypatch):
    imported = "from numa_conformance.reference.target import ReferenceTarget"
    files("shim_of_133.py", f"{imported}\ndef make():\n    return ReferenceTarget('exact', '1.33')\n")
    monkeypatch.syspath_prepend(tmp_path)
    code, out, _ = run("diff", "reference", "target:shim_of_133:make", *FEW, "--json")
    told = json.loads(out)
    assert (code, told["a"]["kubernetesVersion"], told["kinds"]) == (0, "1.33", [])


def test_a_target_of_a_version_that_is_not_known_is_compared_with_one_that_is_named(run, files, tmp_path, monkeypatch):
    files("shim_of_138.py", SHIM_OF_138)
    monkeypatch.syspath_prepend(tmp_path)
    code, _, err = run("diff", "target:shim_of_138:make", "reference", *FEW)
    assert code == 2
    assert "the other side follows '1.38'" in err
    assert "accepted: reference@VERSION, 1.27 to" in err
    assert run("diff", "target:shim_of_138:make", "reference@1.36", *FEW)[0] == 0


@pytest.mark.parametrize(
    ("change", "place", "need"),
    [
        ("takes_the_highest_ids", ["pick", "cpus"], []),
        ("ignores_uncore_caches", ["pick", "cpus"], ["prefer-align-cpus-by-uncorecache: true"]),
        pytest.param("forgets_a_reserved_cpu", ["allocate", "reserved_cpus"], ["cpuManagerPolicy: static"], marks=deep),
    ],
)
def test_a_changed_policy_behind_a_command_is_found_and_shrunk(run, change, place, need):
    changed = Path(__file__).parents[1] / "changed_policies.py"
    command = f"command:{sys.executable} {changed} {change}"
    code, out, _ = run("diff", command, "reference", "--budget", "3%", "--first", "--json")
    (kind,) = json.loads(out)["kinds"]
    assert (code, [kind["method"], kind["place"]], kind["needs"]) == (1, place, need)
    assert kind["quirks"] == kind["changes"] == kind["gatesAndOptions"] == []
    assert kind["example"]["steps"] == 1


def test_two_versions_differ_by_named_quirks(run):
    code, out, _ = run("diff", "reference:exact@1.32", "reference:exact@1.33", *FEW, "--first", "--json")
    assert code == 1
    assert [kind["quirks"] for kind in json.loads(out)["kinds"]] == [["quota-on-exclusive-cpus"]]
