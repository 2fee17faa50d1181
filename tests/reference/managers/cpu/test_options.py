import pytest

from numa_conformance.errors import StartError
from numa_conformance.kube.features import FeatureGates
from numa_conformance.reference.managers.cpu.manager import parse_options
from numa_conformance.reference.managers.policy_options import OptionError, go_map
from numa_conformance.sources.options import StaticOptions
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion
from reference.managers.cpu.golden_machines import golden
from reference.managers.cpu.workloads import static

ALPHA = {"CPUManagerPolicyAlphaOptions": True}


def read(options: dict[str, str] | None, version: str = "1.32", **gates: bool) -> StaticOptions:
    return parse_options(options, FeatureGates.build(version, gates), Quirks.of(KubernetesVersion.parse(version)).cpu)


@pytest.mark.parametrize("text", ["1", "t", "T", "TRUE", "true", "True"])
def test_reads_every_spelling_of_true(text: str) -> None:
    assert read({"full-pcpus-only": text}) == StaticOptions(full_pcpus_only=True)


@pytest.mark.parametrize("text", ["0", "f", "F", "FALSE", "false", "False"])
def test_reads_every_spelling_of_false(text: str) -> None:
    assert read({"full-pcpus-only": text}) == StaticOptions()


@pytest.mark.parametrize("text", ["", "yes", "tRUE", "true ", "true,b=true"])
def test_refuses_any_other_value(text: str) -> None:
    with pytest.raises(OptionError) as refused:
        read({"full-pcpus-only": text})
    assert str(refused.value) == (
        f'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "{text}": invalid syntax'
    )


@pytest.mark.parametrize("name", ["no-such-option", "Full-PCPUs-Only", "prefer-closest-numa-nodes", ""])
def test_refuses_an_unknown_name(name: str) -> None:
    with pytest.raises(OptionError) as refused:
        read({name: "true"})
    assert str(refused.value) == f'unknown CPU Manager Policy option: "{name}"'


@pytest.mark.parametrize("text", ["false", "maybe"])
def test_checks_the_gate_before_the_value(text: str) -> None:
    with pytest.raises(OptionError, match="CPU Manager Policy Alpha-level Options not enabled, but option"):
        read({"align-by-socket": text})
    with pytest.raises(OptionError, match="CPU Manager Policy Beta-level Options not enabled, but option"):
        read({"full-pcpus-only": text}, CPUManagerPolicyBetaOptions=False)


def test_maturity_follows_the_version() -> None:
    strict = {"strict-cpu-reservation": "true"}
    with pytest.raises(OptionError, match="unknown CPU Manager Policy option"):
        read(strict, "1.31", **ALPHA)
    assert read(strict, "1.32", **ALPHA).strict_cpu_reservation
    with pytest.raises(OptionError, match="Beta-level"):
        read(strict, "1.33", CPUManagerPolicyBetaOptions=False)
    assert read(strict, "1.35", CPUManagerPolicyBetaOptions=False).strict_cpu_reservation


def test_an_empty_map_needs_the_gate_as_well() -> None:
    with pytest.raises(OptionError) as refused:
        read({}, CPUManagerPolicyOptions=False)
    assert str(refused.value) == (
        'CPU Manager policy options map[] require feature gates "CPUManager", "CPUManagerPolicyOptions" enabled'
    )
    assert read(None, CPUManagerPolicyOptions=False) == StaticOptions()


def test_prints_maps_sorted() -> None:
    assert go_map({"b": "2", "a": "1"}) == "map[a:1 b:2]"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("full-pcpus-only", "distribute-cpus-across-cores"),
        ("distribute-cpus-across-numa", "distribute-cpus-across-cores"),
        ("prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"),
        ("prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"),
    ],
)
def test_refuses_options_that_exclude_each_other(first: str, second: str) -> None:
    both = {second: "true", first: "true"}
    with pytest.raises(OptionError) as refused:
        read(both, **ALPHA)
    assert str(refused.value) == f"static policy options {first} and {second} can not be used at the same time"
    assert read({**both, first: "false"}, **ALPHA)


def test_align_by_socket_needs_a_policy_and_a_machine_that_suit() -> None:
    with pytest.raises(StartError, match="Topolgy manager single-numa-node policy is incompatible"):
        static(golden("T5"), "align-by-socket", reserved="0", topologyManagerPolicy="single-numa-node")
    with pytest.raises(StartError, match="number of sockets are more than number of NUMA"):
        static(golden("T5"), "align-by-socket", reserved="0")
    assert static(golden("T3"), "align-by-socket", reserved="0").options.align_by_socket
