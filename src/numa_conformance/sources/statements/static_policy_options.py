"""Node Resource Managers: the options of policy static.

What the page says of each in the same words follows from the option's record: that there is the option and what it does
(``nrm/options/<option>``), since when (``-since``), and how mature it is (``-is-alpha``, ``-is-beta``).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..options import STATIC_OPTIONS, PolicyOption
from ..pages import NODE_RESOURCE_MANAGERS
from .statement import Sentence, Statement, may, must, should, stated

_SEEN = {"alpha": "hidden", "beta": "visible", "ga": "visible"}


def _maturity(option: PolicyOption) -> Iterator[Sentence]:
    name, since = option.name, str(option.since)
    stage, span = option.on_the_page
    until = None if span.until is None else str(span.until)
    yield must(name, f"There is the option {name}: {option.text}.", since=since)
    yield must(
        f"{name}-is-{stage}", f"{name} is {stage} and {_SEEN[stage]} by default.", since=str(span.since), until=until
    )
    yield must(f"{name}-since", f"{name} is available since {since}.", since=since)


STATEMENTS: tuple[Statement, ...] = (
    *stated(
        NODE_RESOURCE_MANAGERS.section("Static policy options", "cpu-policy-static--options"),
        "options",
        "1.22",
        *(sentence for option in STATIC_OPTIONS.values() for sentence in _maturity(option)),
        must("beta-gate-is-on", "The gate CPUManagerPolicyBetaOptions is on by default.", since="1.23"),
        must("beta-gate-hides", "Switching it off hides beta options.", since="1.23"),
        must("alpha-gate-is-off", "The gate CPUManagerPolicyAlphaOptions is off by default.", since="1.23"),
        must("alpha-gate-shows", "Switching it on shows alpha options.", since="1.23"),
        must(
            "options-are-named-one-by-one",
            "A gate alone enables no option: each must be named in the configuration.",
            since="1.23",
        ),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("full-pcpus-only"),
        "full-pcpus-only",
        "1.22",
        must("whole-cores", "With full-pcpus-only whole physical cores are always given."),
        must("default-is-best-fit", "Without it CPUs are given by a best fit that knows the topology."),
        must("default-gives-threads", "Without it single hardware threads may be given on systems with SMT."),
        may(
            "default-may-share-cores",
            "Without it containers may share physical cores.",
            untestable="it permits, and demands nothing",
        ),
        must(
            "all-containers-must-fit",
            "With it a pod is admitted only if the requests of all its containers can be met by whole cores.",
        ),
        must("free-cores-must-suffice", "That also holds where the number fits but no whole cores are free."),
        must("refused-pods-are-failed", "A pod that is not admitted is put in the state Failed."),
        must("smt-alignment-error", "A pod that is not admitted tells SMTAlignmentError."),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("distribute-cpus-across-numa"),
        "distribute-cpus-across-numa",
        "1.23",
        must("even", "CPUs are evenly distributed where more than one NUMA node is required."),
        must("even-over-many-nodes", "That also holds for three and more NUMA nodes."),
        must("even-in-use", "That also holds on a machine in use."),
        must("only-where-needed", "It concerns only requests that need more than one NUMA node."),
        must(
            "default-fills-one-node", "Without it CPUs are packed onto one NUMA node until it is filled.", since="1.8"
        ),
        must("default-spills-over", "Without it what remains spills over to the next NUMA node.", since="1.8"),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("align-by-socket"),
        "align-by-socket",
        "1.25",
        must("aligned-at-the-socket", "With align-by-socket CPUs count as aligned at the socket boundary."),
        must("default-aligns-at-numa", "Without it CPUs are aligned at the NUMA boundary.", since="1.8"),
        should(
            "default-takes-few-nodes",
            "Without it the manager tries to take CPUs from the minimum number of NUMA nodes.",
            since="1.8",
        ),
        may(
            "default-may-cross-sockets",
            "Without it these NUMA nodes need not be on one socket.",
            untestable="it permits, and demands nothing",
            since="1.8",
        ),
        must("not-with-single-numa-node", "It is not compatible with the Topology Manager policy single-numa-node."),
        must("not-with-more-sockets", "It does not apply to hardware with more sockets than NUMA nodes."),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("distribute-cpus-across-cores"),
        "distribute-cpus-across-cores",
        "1.31",
        must(
            "separate-cores", "With distribute-cpus-across-cores hardware threads come from different physical cores."
        ),
        must("as-many-cores-as-possible", "CPUs are distributed across as many physical cores as possible."),
        should(
            "default-packs-cores",
            "Without it CPUs tend to be packed onto as few physical cores as possible.",
            since="1.8",
        ),
        may("less-under-load", "It may be less effective on a loaded system."),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("strict-cpu-reservation"),
        "strict-cpu-reservation",
        "1.32",
        must("reserved-set", "reservedSystemCPUs defines the CPUs of system daemons.", since="1.17"),
        must(
            "deprecated-flag",
            "The flag --reserved-cpus does the same and is deprecated.",
            since="1.17",
            untestable="the flag is the kubelet's; targets are given a KubeletConfiguration",
        ),
        must(
            "default-keeps-exclusive-off",
            "By default containers with exclusive CPUs are kept off reserved CPUs.",
            since="1.17",
        ),
        must("default-lets-shared-on", "By default shared containers may use reserved CPUs.", since="1.17"),
        must("admission-compares-requests", "Admission compares CPU requests with allocatable CPUs only."),
        must("keeps-every-pod-off", "With strict-cpu-reservation no workload of any class uses the reserved CPUs."),
        must("means-the-explicit-set", "The CPUs meant are those of reservedSystemCPUs."),
    ),
    *stated(
        NODE_RESOURCE_MANAGERS.section("prefer-align-cpus-by-uncorecache"),
        "prefer-align-cpus-by-uncorecache",
        "1.32",
        should("one-cache", "All CPUs of a container share one uncore cache."),
        may(
            "default-may-span-caches",
            "Without it packing may give CPUs of several uncore caches.",
            untestable="it permits, and demands nothing",
            since="1.8",
        ),
        should("best-effort", "It is best effort: as many CPUs as possible come from one uncore cache."),
        should("few-caches", "Above the size of one uncore cache the number of caches used is minimal."),
        must("never-refuses", "A container that cannot be aligned is admitted as long as there are enough CPUs."),
        must("falls-back-to-packing", "Such a container is given CPUs by the default packing."),
    ),
)
