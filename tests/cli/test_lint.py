import json

import pytest

HEAD = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
UNWISE = """
cpuManagerPolicy: static
cpuManagerPolicyOptions: {full-pcpus-only: "true"}
reservedSystemCPUs: "0-1"
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
"""


def test_a_refused_field_is_named_with_what_to_do(run, files):
    file = files("kubelet.yaml", "cpuManagerPolicy: statik\n" + HEAD)
    code, out, _ = run("lint", file)
    assert (code, out.splitlines()) == (
        1,
        [
            f'{file}:1:1: cpuManagerPolicy: refused: unknown policy: "statik"',
            "    did you mean static?",
            f"{file}: 1 refused",
        ],
    )


def test_what_the_kubelet_and_its_managers_refuse_is_said_at_once(run, files):
    wrong = 'cpuManagerPolicy: statik\nreservedSystemCPUs: "0-"\nmaxPods: -1\nevictionHard: {memory.available: 5x}\n'
    file = files("kubelet.yaml", HEAD + wrong)
    for more in ((), ("--machine", "t1-one-socket-smt2")):
        code, out, _ = run("lint", file, *more)
        assert (code, out.splitlines()[-1]) == (1, f"{file}: 4 refused")
        for place in ("3:1: cpuManager", "4:1: reservedSystemCPUs", "5:1: maxPods", "6:16: evictionHard.memory"):
            assert f"{file}:{place}" in out


def test_a_second_configuration_is_named_with_its_line(run, files):
    file = files("kubelet.yaml", f"{HEAD}---\n{HEAD}")
    code, _, err = run("lint", file)
    assert code == 2
    assert f"error: {file}:5:1: document 2: kind: is another KubeletConfiguration (accepted: one in a file)" in err


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--strict"], 1)])
def test_what_is_unwise_fails_when_strict(run, files, options, code):
    file = files("kubelet.yaml", UNWISE)
    got, out, _ = run("lint", "--machine", "t1-one-socket-smt2", file, *options)
    assert (got, out.splitlines()[-1]) == (code, f"{file}: 1 unwise")


def test_findings_are_data_for_programs(run, files):
    good, bad = files("good.yaml", HEAD), files("bad.yaml", f"{HEAD}cpuManagerPolicy: static\n")
    code, out, _ = run("lint", good, bad, "--json")
    (one,) = json.loads(out)
    assert (code, one["file"], one["kind"], one["field"]) == (1, str(bad), "refused", "reservedSystemCPUs")
    assert run("lint", good)[:2] == (0, f"{good}: nothing to say\n")


@pytest.mark.parametrize("name", ["apiVersion", "kind"])
def test_a_file_of_a_kubelet_says_what_it_is(run, files, name):
    lines = [line for line in HEAD.splitlines() if not line.startswith(name)]
    file = files("kubelet.yaml", "\n".join([*lines, "maxPods: 5"]))
    code, out, _ = run("lint", file)
    assert (code, out.splitlines()[0]) == (
        1,
        f"{file}: {name}: refused: is missing: a kubelet reads no file without it",
    )


@pytest.mark.parametrize(
    "text",
    [
        "machine: {kubelet: {extraConfig: {maxPods: 5}}}",
        "kind: KubeletConfig\nspec: {kubeletConfig: {maxPods: 5}}",
        "kubelet --max-pods=5",
        '{"kubeletconfig": {"maxPods": 5}}',
    ],
)
def test_what_is_no_file_of_a_kubelet_need_not_say_so(run, files, text):
    file = files("config", text)
    assert run("lint", file)[:2] == (0, f"{file}: nothing to say\n")


def test_a_file_that_cannot_be_read_is_wrong_input(run, files):
    code, _, err = run("lint", files("kubelet.yaml", "cpuManagerPolicy: [static]\n"))
    assert code == 2
    assert "cpuManagerPolicy: is a list (accepted: a text)" in err


MISSPELT = "reservedCpus: 0-4\nCPUManagerPolicy: static\nmaxPods: 5\nsystemReserved: {cpu: '5'}\n" + HEAD


def test_fields_that_no_kubelet_knows_have_no_effect(run, files):
    file = files("kubelet.yaml", MISSPELT)
    over = "no effect: the kubelet passes over"
    said = [
        f"{file}:1:1: reservedCpus: {over} reservedCpus; did you mean 'reservedSystemCPUs'?",
        f"{file}:2:1: CPUManagerPolicy: {over} CPUManagerPolicy; did you mean 'cpuManagerPolicy'?",
        f"{file}: 2 no effect",
    ]
    assert run("lint", file)[:2] == (0, "\n".join([*said, ""]))
    assert run("lint", "--strict", "--machine", "t1-one-socket-smt2", file)[0] == 1
    code, out, _ = run("lint", files("bad.yaml", MISSPELT + "topologyManagerPolicy: none-such\n"))
    assert (code, "2 no effect, 1 refused" in out) == (1, True)


def test_the_node_is_as_the_other_fields_say(run, files):
    file = files("kubelet.yaml", MISSPELT + "cpuManagerPolicy: static\n")
    pod = files("pod.yaml", "metadata: {name: a}\nspec: {containers: [{name: c}]}\n")
    code, out, err = run(
        "simulate", "--machine", "t3-two-numa-per-socket", "--config", file, "--flags", "--reserved-cpus=1", pod
    )
    assert (code, "reserved: 1\n" in out) == (0, True)
    assert (
        err.splitlines()[0]
        == f"notice: {file}: the kubelet passes over reservedCpus; did you mean 'reservedSystemCPUs'?"
    )


def test_simulate_says_the_same_of_a_node_that_does_not_come_up(run, files):
    config = files("kubelet.yaml", "cpuManagerPolicy: static\ncpuManagerPolicyOptions: {full-pcpu-only: 'true'}\n")
    pod = files("pod.yaml", "metadata: {name: a}\nspec: {containers: [{name: c}]}\n")
    code, _, err = run("simulate", "--machine", "t1-one-socket-smt2", "--config", config, pod)
    assert code == 2
    assert f"  {config}: cpuManagerPolicyOptions.full-pcpu-only: " in err
    assert "did you mean full-pcpus-only?" in err
