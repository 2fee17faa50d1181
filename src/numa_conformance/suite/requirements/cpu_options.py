"""Static policy options of the CPU Manager: that each takes effect, when it is hidden, and what it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...documentation.options import STATIC_OPTIONS, for_each_option
from ...errors import Fault, UsageError
from .requirement import Family, Requirement

FILE = "src/numa_conformance/suite/requirements/cpu_options.py"
_STATIC = "cpu-manager/static"


@dataclass(frozen=True, slots=True)
class OptionIds:
    """The ids of what is asked of every option; texts, versions and statements follow from its record."""

    is_available: str
    stays_hidden: str
    placements: str


OF_EVERY_OPTION: Mapping[str, OptionIds] = for_each_option(
    {
        "full-pcpus-only": OptionIds(
            "cpu-manager/full-pcpus-only/is-available",
            "cpu-manager/full-pcpus-only/stays-hidden",
            "exact/placements/full-pcpus-only",
        ),
        "distribute-cpus-across-numa": OptionIds(
            "cpu-manager/distribute-cpus-across-numa/is-available",
            "cpu-manager/distribute-cpus-across-numa/stays-hidden",
            "exact/placements/distribute-cpus-across-numa",
        ),
        "align-by-socket": OptionIds(
            "cpu-manager/align-by-socket/is-available",
            "cpu-manager/align-by-socket/stays-hidden",
            "exact/placements/align-by-socket",
        ),
        "distribute-cpus-across-cores": OptionIds(
            "cpu-manager/distribute-cpus-across-cores/is-available",
            "cpu-manager/distribute-cpus-across-cores/stays-hidden",
            "exact/placements/distribute-cpus-across-cores",
        ),
        "strict-cpu-reservation": OptionIds(
            "cpu-manager/strict-cpu-reservation/is-available",
            "cpu-manager/strict-cpu-reservation/stays-hidden",
            "exact/placements/strict-cpu-reservation",
        ),
        "prefer-align-cpus-by-uncorecache": OptionIds(
            "cpu-manager/prefer-align-cpus-by-uncorecache/is-available",
            "cpu-manager/prefer-align-cpus-by-uncorecache/stays-hidden",
            "exact/placements/prefer-align-cpus-by-uncorecache",
        ),
    },
    "OptionIds in OF_EVERY_OPTION",
    FILE,
)
EXCLUDED: Mapping[str, tuple[str, str, str]] = {
    "cpu-manager/distribute-cpus-across-cores/refuses-full-pcpus-only": (
        "full-pcpus-only",
        "distribute-cpus-across-cores",
        "cpu-task/options/across-cores-stands-alone",
    ),
    "cpu-manager/distribute-cpus-across-cores/refuses-distribution-across-numa": (
        "distribute-cpus-across-numa",
        "distribute-cpus-across-cores",
        "cpu-task/options/across-cores-stands-alone",
    ),
}
"""The id of a requirement to two options with which no node comes up, and the statement that says so.

The record of the first option says that it excludes the second.
"""
_BESIDE: Mapping[str, tuple[str, ...]] = {"align-by-socket": ("topology-manager/restricted",)}
"""What a target must claim besides, so that the effect of an option shows."""

_ALPHA_SHOWN: tuple[str, ...] = ("nrm/options/alpha-gate-shows",)
_ALPHA_HIDDEN: tuple[str, ...] = ("nrm/options/alpha-gate-is-off", "cpu-task/configuration/alpha-options-are-hidden")
_BETA_SHOWN: tuple[str, ...] = ("nrm/options/beta-gate-is-on", "cpu-task/configuration/beta-options-are-visible")
_BETA_HIDDEN: tuple[str, ...] = ("nrm/options/beta-gate-hides",)

_requirement = Family(area="cpu-manager options", features=(_STATIC,))


def _maturity() -> Iterator[Requirement]:
    for name, ids in OF_EVERY_OPTION.items():
        option, page = STATIC_OPTIONS[name], f"nrm/options/{name}"
        stage, _ = option.on_the_page
        alpha = stage == "alpha"
        features = (f"cpu-manager/{name}", *_BESIDE.get(name, ()))
        yield _requirement(
            ids.is_available,
            f"From {option.since} on {name} is accepted and takes effect where it is named and its gates are on.",
            *features,
            statements=(f"{page}-since", page, *(_ALPHA_SHOWN if alpha else _BETA_SHOWN)),
            since=str(option.since),
        )
        yield _requirement(
            ids.stays_hidden,
            f"Before {option.since}, and while the gate of its maturity is off, {name} takes no effect: the node does "
            "not come up, or does as without it.",
            *features,
            statements=(f"{page}-is-{stage}", f"{page}-since", *(_ALPHA_HIDDEN if alpha else _BETA_HIDDEN)),
            since="1.22",
            until=None if option.hidden_until is None else str(option.hidden_until),
        )


def _refusals() -> Iterator[Requirement]:
    named = {(first, second) for first, second, _ in EXCLUDED.values()}
    excluded = {(name, other) for name, option in STATIC_OPTIONS.items() for other in option.excludes}
    if excluded - named:
        raise UsageError(
            Fault(FILE, f"option {first} excludes {second}, and no line in EXCLUDED says which requirement asks it")
            for first, second in sorted(excluded - named)
        )
    for id, (first, second, statement) in EXCLUDED.items():
        yield _requirement(
            id,
            f"The node does not come up with {second} beside {first}.",
            f"cpu-manager/{second}",
            f"cpu-manager/{first}",
            statements=(statement, "cpu-task/options/incompatible-options-fail-the-start"),
            since=str(max(STATIC_OPTIONS[first].since, STATIC_OPTIONS[second].since)),
        )


REQUIREMENTS: tuple[Requirement, ...] = (
    *_maturity(),
    *_refusals(),
    _requirement(
        "cpu-manager/full-pcpus-only/refuses-a-partial-core",
        "A container that asks for exclusive CPUs whose number is not a multiple of the threads of a core is "
        "refused, with the reason SMTAlignmentError.",
        "cpu-manager/full-pcpus-only",
        statements=("nrm/full-pcpus-only/all-containers-must-fit", "nrm/full-pcpus-only/smt-alignment-error"),
        since="1.22",
        beyond="The page calls SMTAlignmentError the message of the pod; the reason is asked for.",
    ),
    _requirement(
        "cpu-manager/full-pcpus-only/tells-that-whole-cores-are-missing",
        "A pod that is refused though enough CPUs are free, because no whole cores are, has the reason "
        "SMTAlignmentError.",
        "cpu-manager/full-pcpus-only",
        statements=("nrm/full-pcpus-only/smt-alignment-error", "nrm/full-pcpus-only/free-cores-must-suffice"),
        since="1.22",
        beyond="The page calls SMTAlignmentError the message of the pod; it may be its reason or in the message.",
    ),
    _requirement(
        "cpu-manager/full-pcpus-only/gives-whole-cores",
        "Exclusive CPUs come as whole physical cores: no other container has a thread of these cores to itself.",
        "cpu-manager/full-pcpus-only",
        statements=(
            "nrm/full-pcpus-only/whole-cores",
            "nrm/full-pcpus-only/free-cores-must-suffice",
            "nrm/options/full-pcpus-only",
        ),
        since="1.22",
    ),
    _requirement(
        "cpu-manager/distribute-cpus-across-numa/spreads-evenly",
        "Where one NUMA node is not enough, the exclusive CPUs of a container are divided evenly over the NUMA nodes"
        " that are needed.",
        "cpu-manager/distribute-cpus-across-numa",
        statements=(
            "nrm/distribute-cpus-across-numa/even",
            "nrm/distribute-cpus-across-numa/even-over-many-nodes",
            "nrm/distribute-cpus-across-numa/even-in-use",
            "nrm/options/distribute-cpus-across-numa",
        ),
        since="1.23",
    ),
    _requirement(
        "cpu-manager/distribute-cpus-across-numa/keeps-one-node-where-one-suffices",
        "A request that one NUMA node can hold is still given from one NUMA node: the option concerns only requests "
        "that need more than one.",
        "cpu-manager/distribute-cpus-across-numa",
        statements=("nrm/distribute-cpus-across-numa/only-where-needed",),
        since="1.23",
    ),
    _requirement(
        "cpu-manager/align-by-socket/stays-in-one-socket",
        "A container whose exclusive CPUs fit one socket, but no single NUMA node, is given them from one socket.",
        "cpu-manager/align-by-socket",
        "topology-manager/restricted",
        statements=("nrm/align-by-socket/aligned-at-the-socket", "nrm/options/align-by-socket"),
        since="1.25",
    ),
    _requirement(
        "cpu-manager/align-by-socket/admits-what-one-socket-holds",
        "Under restricted a pod is admitted whose CPUs one socket can give: they are aligned at the socket.",
        "cpu-manager/align-by-socket",
        "topology-manager/restricted",
        statements=("nrm/align-by-socket/aligned-at-the-socket",),
        since="1.25",
    ),
    _requirement(
        "cpu-manager/align-by-socket/refuses-single-numa-node",
        "align-by-socket takes no effect beside the Topology Manager policy single-numa-node: the node does not come "
        "up, or refuses what no NUMA node holds.",
        "cpu-manager/align-by-socket",
        "topology-manager/single-numa-node",
        statements=("nrm/align-by-socket/not-with-single-numa-node",),
        since="1.25",
    ),
    _requirement(
        "cpu-manager/align-by-socket/refuses-more-sockets-than-numa-nodes",
        "align-by-socket does not apply to hardware that has more sockets than NUMA nodes: the node does not come up, "
        "or admits what a NUMA node holds.",
        "cpu-manager/align-by-socket",
        "topology-manager/restricted",
        statements=("nrm/align-by-socket/not-with-more-sockets",),
        since="1.25",
    ),
    _requirement(
        "cpu-manager/distribute-cpus-across-cores/takes-separate-cores",
        "Exclusive CPUs are taken from as many different physical cores as have a free CPU.",
        "cpu-manager/distribute-cpus-across-cores",
        statements=(
            "nrm/distribute-cpus-across-cores/separate-cores",
            "nrm/distribute-cpus-across-cores/as-many-cores-as-possible",
            "nrm/options/distribute-cpus-across-cores",
            "nrm/distribute-cpus-across-cores/less-under-load",
        ),
        since="1.31",
    ),
    _requirement(
        "cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus",
        "No pod of any class runs on the reserved CPUs: they are never in the shared pool and never exclusive.",
        "cpu-manager/strict-cpu-reservation",
        statements=(
            "nrm/strict-cpu-reservation/keeps-every-pod-off",
            "nrm/strict-cpu-reservation/means-the-explicit-set",
            "nrm/options/strict-cpu-reservation",
        ),
        since="1.32",
    ),
    _requirement(
        "cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache",
        "A container whose exclusive CPUs fit the free CPUs of one uncore cache is given them from one uncore cache.",
        "cpu-manager/prefer-align-cpus-by-uncorecache",
        statements=(
            "nrm/prefer-align-cpus-by-uncorecache/one-cache",
            "nrm/prefer-align-cpus-by-uncorecache/best-effort",
            "nrm/options/prefer-align-cpus-by-uncorecache",
        ),
        since="1.32",
        strength="SHOULD",
    ),
    _requirement(
        "cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses",
        "Alignment to uncore caches is best effort: a container that no cache can hold is admitted all the same.",
        "cpu-manager/prefer-align-cpus-by-uncorecache",
        statements=(
            "nrm/prefer-align-cpus-by-uncorecache/never-refuses",
            "nrm/prefer-align-cpus-by-uncorecache/falls-back-to-packing",
        ),
        since="1.32",
    ),
    _requirement(
        "cpu-manager/full-pcpus-only/are-additive",
        "full-pcpus-only, distribute-cpus-across-numa and align-by-socket can be used together, each keeping its "
        "promise.",
        "cpu-manager/full-pcpus-only",
        "cpu-manager/distribute-cpus-across-numa",
        "cpu-manager/align-by-socket",
        statements=("cpu-task/options/full-pcpus-and-numa-add-up", "cpu-task/options/align-by-socket-adds-up"),
        since="1.25",
    ),
)
