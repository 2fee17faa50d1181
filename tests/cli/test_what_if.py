"""``simulate --compare`` and ``--compare-version``: what changes, pod by pod."""

import json
from xml.etree import ElementTree

import pytest

from numa_conformance.sources.versions import DEFAULT

MACHINE = ["simulate", "--machine", "t3-two-numa-per-socket"]
SINGLE = "cpuManagerPolicy: static\nreservedSystemCPUs: '0'\ntopologyManagerPolicy: single-numa-node\n"
POD = """
metadata: {{name: {0}}}
spec:
  containers:
    - {{name: c, resources: {{limits: {{cpu: {1}, memory: 1Gi}}}}}}
"""
SVG = "{http://www.w3.org/2000/svg}"


def pods(**cpus):
    return "---\n".join(POD.format(name, count) for name, count in cpus.items())


@pytest.fixture
def compared(run, files):
    """Runs a comparison of single-numa-node with another configuration."""

    def compare(other, text, *more):
        config, other = files("kubelet.yaml", SINGLE), files("other.yaml", other)
        return run(*MACHINE, "--config", config, "--compare", other, files("pods.yaml", text), *more)

    return compare


def rows(out):
    lines = out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("pod "))
    return [line.split() for line in lines[at + 1 : lines.index("", at)]]


def test_a_pod_that_another_policy_admits_is_told_with_the_nodes_that_it_spans(compared):
    code, out, _ = compared(SINGLE.replace("single-numa-node", "best-effort"), pods(big=10, small=2))
    assert code == 1
    big, small = rows(out)
    assert big[:4] == ["default/big", "admitted", "refused,", "TopologyAffinityError"]
    assert big[-2:] == ["NUMA", "0-1"]
    assert small[1] == "moved"
    assert out.rstrip().endswith("changed: 1 admitted, 1 moved; as before: 0")


def test_a_pod_that_another_policy_refuses_is_told_with_what_would_help(compared):
    options = "cpuManagerPolicyOptions: {full-pcpus-only: 'true'}\n"
    code, out, _ = compared(SINGLE + options, pods(odd=3, even=2))
    assert code == 1
    assert rows(out)[0][:2] == ["default/odd", "refused"]
    assert "would be admitted (each was tried):" in out
    assert "SMT Alignment Error" in out


def test_what_no_longer_has_cpus_of_its_own_is_unpinned(compared):
    _, out, _ = compared("cpuManagerPolicy: none\n", pods(a=2))
    assert rows(out) == [["default/a", "unpinned", "CPUs", "1,17,", "NUMA", "0", "shared", "CPUs"]]


def test_where_nothing_changes_it_says_so_and_exits_with_0(compared):
    code, out, _ = compared(SINGLE, pods(a=2, too_big=100))
    assert code == 0
    assert out.rstrip().endswith("changed: none; as before: 2")


def test_both_pictures_give_a_pod_the_same_symbol(compared):
    _, out, _ = compared(SINGLE.replace("single-numa-node", "none"), pods(big=10, small=2))
    first, second = out.split("before:\n")[1].split("after:\n")
    assert " a" in first
    assert " b" not in first
    assert "- free" not in first
    assert "\na default/small/c\nb default/big/c\n- free, " in second


def test_json_tells_both_sides_and_each_pod(compared):
    code, out, _ = compared(SINGLE.replace("single-numa-node", "best-effort"), pods(big=10, same="500m"), "--json")
    told = json.loads(out)
    assert code == 1
    assert told["summary"] == {"admitted": 1, "unchanged": 1}
    big, same = told["pods"]
    assert (big["pod"], big["changes"], big["before"]["aligned"], big["after"]["aligned"]) == (
        "default/big",
        ["admitted"],
        None,
        False,
    )
    assert same["changes"] == []
    assert told["before"]["summary"] == {"admitted": 1, "refused": {"TopologyAffinityError": 1}}
    assert told["after"]["title"].endswith(f"other.yaml, Kubernetes {DEFAULT}")


def test_svg_has_two_pictures_with_their_titles(compared):
    _, out, _ = compared(SINGLE.replace("single-numa-node", "none"), pods(a=2), "--svg")
    root = ElementTree.fromstring(out)
    headings = [text.text.partition(":") for text in root.iter(f"{SVG}text") if text.get("class") == "heading"]
    assert [name for name, colon, _ in headings if colon] == ["before", "after"]
    assert sum(text.text == "31" for text in root.iter(f"{SVG}text")) == 2


def test_another_version_is_compared_with_the_same_configuration(run, files):
    config = files("kubelet.yaml", SINGLE + "cpuManagerPolicyOptions: {strict-cpu-reservation: 'true'}\n")
    asked = [*MACHINE, "--config", config, files("pods.yaml", pods(a=2))]
    code, out, _ = run(*asked, "--kubernetes-version", "1.35", "--compare-version", "1.36")
    assert code == 0
    assert f"before: {config}, Kubernetes 1.35\nafter:  {config}, Kubernetes 1.36\n" in out
    code, _, err = run(*asked, "--kubernetes-version", "1.35", "--compare-version", "1.31")
    assert code == 2
    assert "the node does not come up" in err


def test_a_configuration_that_does_not_come_up_is_named(compared):
    code, _, err = compared("cpuManagerPolicy: static\n", pods(a=2))
    assert code == 2
    assert "other.yaml: " in err


def test_explain_tells_of_one_node(compared):
    code, _, err = compared(SINGLE, pods(a=2), "--explain")
    assert code == 2
    assert "--explain is about one node" in err


def test_a_resize_is_compared_too(compared):
    gate = "featureGates: {InPlacePodVerticalScalingExclusiveCPUs: true}\n"
    text = pods(own=2, other=1) + "---\n" + pods(own=4)
    code, out, _ = compared(SINGLE + gate, text)
    assert code == 1
    assert rows(out) == [["default/own", "resized", "not", "resized,", "Infeasible", "CPUs", "1,17,", "NUMA", "0"]]
    assert out.rstrip().endswith("changed: 1 resized; as before: 2")
    told = json.loads(compared(SINGLE + gate, text, "--json")[1])["pods"][-1]
    assert [told[side]["result"] for side in ("before", "after")] == ["pending", "resized"]
