"""Runs of the suite as they come out, small enough to read."""

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.asking.known_failures import KnownFailure, KnownFailures
from numa_conformance.asking.profiles import Profile
from numa_conformance.machine import load_machine, machine_to_dict
from numa_conformance.report.case import Case
from numa_conformance.report.model import Summary
from numa_conformance.wire.messages.describe import Description

REQUIREMENT = "cpu-manager/static/packs-whole-cores"
OTHER = "qos/best-effort-has-none"
TEST = "host/test_reconcile::test_cpusets_reach_the_cgroups"

SCENARIO = {
    "id": "scenario",
    "kind": "admission",
    "machine": machine_to_dict(load_machine("t1-one-socket-smt2")),
    "kubelet": static(),
    "steps": [{"op": "admit", "pod": guaranteed("<a>", 2)}],
    "answered": [{"result": "admitted", "containers": {"c": {"cpus": "1-2"}}, "default_cpuset": "0,3-7"}],
    "expect": [{"result": "admitted", "containers": {"c": {"cpus": "1,5"}}, "default_cpuset": "0,2-4,6-7"}],
}


def case(number, verdict="passed", requirement=REQUIREMENT, details="", scenario=None):
    area = requirement.split("/")[0]
    return Case(f"{TEST}[{number}]", [requirement], area, verdict, details, scenario)


def failure(**about):
    return KnownFailure(**about, reason="planned", link="https://example.com/7")


def run(
    *cases,
    name="mine",
    level="documented",
    profile="",
    known=(),
    planned=(),
    narrowed=True,
    features=("cpu-manager/static",),
    **more,
):
    described = Description(name, "1", "2", ["node"], list(features))
    named = [failure(requirement=each) if isinstance(each, str) else each for each in known]
    entries = KnownFailures({each.name: each for each in named})
    asked = Profile.parse(profile, "1.32")
    return Summary.of(described, level, asked, cases, entries, planned=planned, narrowed=narrowed, **more)


def failing_run():
    return run(
        case(1),
        case(2, "failed", details="takes <half> a core\x00", scenario=SCENARIO),
        case(3, "timed out", details="no answer"),
        case(4, "not claimed", OTHER, details="not claimed: node/qos"),
        case(5, "error", OTHER, details="a bug of ours"),
    )
