"""Ask other people's allocators, and write the page of what came of it: ``docs/who-conforms.md``.

    python examples/conforms.py                       # the page, from what is known
    python examples/conforms.py volcano koordinator   # builds and asks these first, and keeps what came of it

Each of them has a folder here with ``about.yaml``: what it is, how to ask it, and in words why it does not meet what it
does not meet. ``found.json``, beside it, is written from the reports of the runs.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.report.model import Summary, read_report
from numa_conformance.report.pages.markdown import link_to

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "who-conforms.md"
ALLOCATORS = ("volcano", "koordinator", "cri-resource-manager", "hwloc", "nova")
HEAD = """\
# Who conforms

These allocators were written for something else. Each stands behind a shim of at most 120 lines in `examples/`. A shim
translates and decides nothing, and may serve as a pattern for yours. What an allocator does not claim is not held
against it. The kubelet's own managers are asked the same way: [go/kubelet](../go/kubelet/README.md), and minor by minor
in [Kubernetes, minor by minor](kubernetes-versions.md).

None of them is conformant. That is no judgement of their quality: they keep other promises than the pages of
Kubernetes. This page says which. A recommendation (SHOULD) that is not followed changes no verdict.

`python examples/conforms.py` makes this page from the reports of runs. `tox run -e third-party` asks everybody anew.
"""
TAIL = """\
## Who promises nothing of it

**Nomad** 1.10.5: `coreSelector.Select` of its open edition takes the first free cores by number. Its source says "NUMA preference is
available in ent only". It promises nothing that the suite tests.

## Who was asked as a daemon

These were built from their public source and started unmodified, each at its own door. No line was written for them.

- **dra-driver-cpu**, commit de98098 (August 2026, after 0.2.0), at the [door for DRA drivers](dra-drivers.md):
  `pytest --numa-conformance --numa-machine t2-two-sockets-interleaved --numa-dra-driver
  "dracpu --hostname-override={node_name} --kubeconfig={kubeconfig} --reserved-cpus={reserved_cpus}"`.
  Asked were 17 requirements of `dra-driver/` in 31 s, in its default mode (groups by NUMA node). Met are 13.

| unmet | whose promise |
|---|---|
| `dra-driver/attributes/numa-node` | `numaNode` is Kubernetes' standard attribute; its own page has it too |
| `dra-driver/attributes/socket` | its own page: `socketID` is the socket of the group |
| `dra-driver/unprepare/gives-back` | Kubernetes' API, and the same fault: CPUs of this node are with claims for the other |
| `dra-driver/shared/keeps-off-claims` | its own page: all other containers are confined to CPUs that no claim has |

The machine has two sockets of three cores, and cores are numbered from 0 on each. A claim of 4 CPUs of NUMA node 0
and 2 of node 1 gets `1-3,7-9`: 2 of node 0 and 4 of node 1. Cores of one number on two sockets are taken for one. So
it is on `intel-sapphirerapids-8480`, two sockets as they are sold, too. On 34 machines of at most 64 CPUs one more
requirement is unmet: `dra-driver/claims/get-what-they-consume`, by claims that got fewer CPUs than they consume.

The last of the table is its public [issue 295](https://github.com/kubernetes-sigs/dra-driver-cpu/issues/295), mended
after this commit. If claims have all CPUs, a container without a claim may run on all of them. With
`--cpu-device-mode=individual` it is the only one that is unmet, of 19 that were asked on three machines.

- **topology-aware** and **balloons** of nri-plugins, commit 0705acc (August 2026), at the [door for NRI
  plugins](unmodified-programs.md#nri-plugins). The options were eight times `--numa-machine`, and `--numa-budget 5m`. A
  script (like [`examples/nri_plugins`](../examples/nri_plugins/topology-aware.sh)) wrote the daemon's configuration from `{reserved_cpus}` and `{reserved_amount}`. Guaranteed pods have balloons of their
  own there. topology-aware: 71 passed, 7 failed, 1 not followed. balloons: 68 passed, 11 failed, 1 not followed.

| unmet | by | why, and whose promise it is |
|---|---|---|
| `protocol/comes-up` | both | Where NUMA node ids have gaps (`sparse-ids`) they end with a panic: a vector of distances has one entry for each node, and is read by the node's id. No issue was found. |
| `cpu-manager/cpuset/keeps-off-exclusive-cpus` | topology-aware | Its own page: shared containers run on the shared part of their pool. On `t3-two-numa-per-socket`, with an amount of 2 CPUs reserved, come two BestEffort containers, then a pod of 7 and 17 CPUs: the 17 have all CPUs of the pool `4-7,20-23`, and the container there stays on them. [PR 601](https://github.com/containers/nri-plugins/pull/601) is to prevent that. |
| `cpu-manager/state-file/assignments-survive-a-restart` | both | Promised by neither page. When they start again, all containers are released and allocated anew: with balloons in the order of their creation, with topology-aware in that of a map of Go, which is by lot. Of six pods of 3 CPUs on `t3-two-numa-per-socket` four starts gave four allocations. |
| `cpu-manager/static/exclusive-cpus-belong-to-one-pod`, `.../gives-free-cpus-only` | both | Exclusive CPUs are topology-aware's own page; of balloons they are the configuration's, a new balloon for each. After such a start an allocation may fail; that is logged, and the container stays on its CPUs, which another has by then: `cpu-manager/cpuset/keeps-off-exclusive-cpus` is unmet by balloons for this alone. It takes CPUs that are nearly all given; with topology-aware it comes and goes. |
| `cpu-manager/static/serves-what-is-free`, `topology-manager/admission/admits-what-one-node-holds` | both | Other promises. topology-aware leaves a CPU in each pool that has shared containers; in balloons containers of every class get CPUs by their requests, so these are not free. |
| `cpu-manager/static/serves-what-is-free` | topology-aware | Where NUMA nodes have no memory (`node-without-memory`) an empty machine of 32 CPUs refuses 9: "internal error: socket #1: can't take 9 exclusive CPUs". The socket's pool says that 16 CPUs are allocatable, and has the 8 of its node with memory. No issue was found. |
| `cpu-manager/reservation/is-never-exclusive`, `.../stays-in-the-shared-pool`, `cpu-manager/shared-pool/never-empties`, `cpu-manager/static/gives-free-cpus-only`, `.../refuses-what-is-not-free` | balloons | Its page says less: other balloons avoid CPUs that are reserved by ids. Its code means to keep them, and takes the least of their number and `maxCPUs`, which is 0 where it is not set. No issue was found. |

Their further promises were tested on 12 machines of 8 to 64 CPUs each. Both keep them: topology-aware `pinning/mixed` and
`pinning/reserved-pool`, balloons `pinning/pools-apart` and `pinning/reserved-pool`. In a configuration of balloons
`pod/qosclass` never matches, though the page has it. The value is not a string. [PR
387](https://github.com/containers/nri-plugins/pull/387) mended the same of `qosclass`.

## As which kubelet they decide

Some carry the kubelet's accumulator of CPUs, or were made after it.
[`which-kubelet`](compare-two.md#as-which-minor-does-it-decide) was asked about them in November 2026: as which minor each
decides, by questions of the surfaces `pick`, `hints` and `merge`. Those of Katalyst and dra-driver-cpu were asked in process,
behind shims that are not kept here. The minors that are known are 1.27 to 1.37.

| fork | commit or version | lines of shim | questions | decides as | answers of no minor | quirks of the kubelet that it shows |
|---|---|---:|---:|---|---:|---|
| Katalyst, native policy | d8c28ea (April 2026) | 69 | 36 | each of 1.27 to 1.37: no question tells them apart | 0 | `full-by-machine-average`, `distribution-of-single-node-requests`, `distribution-aliasing`, `distribution-hang`, `full-pcpus-only-takes-partial-cores` |
| dra-driver-cpu, core ids made unique | de98098 (August 2026) | 72 | 32 | 1.34 to 1.37, `node-wide-cache-is-no-uncore-cache` mended | 0 | `full-by-machine-average`, `overlapping-groups-taken-twice`, `uncore-after-larger-groups`, `uncore-half-used-core-unaligned` |
| dra-driver-cpu, as it reads `/sys` | the same | the same | 32 | none | 17 | `overlapping-groups-taken-twice`, `uncore-after-larger-groups`, `uncore-half-used-core-unaligned` |
| Koordinator | 1.7.0 | 120 | 46 | none; 1.27 to 1.30 are nearest | 7 | `full-pcpus-only-takes-partial-cores` |
| Volcano | 1.10.0 | 115 | 49 | none | 19 | |
| Volcano, as exported | the same | the same | 49 | none | 23 | |

- **Katalyst** decides in each answer as the kubelet does, with every quirk that its options can show. By
  `distribution-hang` it never answers some requests, with `distribute-cpus-across-numa` beside `full-pcpus-only`
  ([kubernetes/kubernetes#140730](https://github.com/kubernetes/kubernetes/pull/140730) is about it).
- **dra-driver-cpu** says that its code is a copy of the kubelet's, and it is. With core ids of the machine, it decides as the
  kubelet of 1.34 to 1.37. The kubelet first makes core ids unique; the driver does not. All 17 answers come of that, as do the
  faults [above](#who-was-asked-as-a-daemon). `node-wide-cache-is-no-uncore-cache` is a quirk of how the kubelet reads the
  machine, not of this code. The driver takes the last-level cache that `/sys` names, and the shim always had it.
- **Volcano** merges hints otherwise in 8 of these questions, and packs CPUs by socket: it is older than the oldest minor
  that is known here. **Koordinator** has changed what it took over.

## Schedulers

A scheduler conforms to nothing that the pages of Kubernetes say; what kubelets make of its choices can be counted
([Schedulers](exporters-and-schedulers.md#schedulers)). `check-scheduler` drew 100 workloads of 20
pods for the default scheduler, and 98 for the plugin of scheduler-plugins. Each was for two nodes of 4 NUMA nodes
(`t3-two-numa-per-socket`) with the Memory Manager and an unmodified kubelet 1.37.1. The reference decided on every
pod as its kubelet did.

| scheduler | policy | scope | workloads | pods | run | bound and refused | held back | of them wrongly |
|---|---|---|---:|---:|---:|---:|---:|---:|
| kube-scheduler 1.37.1 | none | container | 11 | 220 | 185 | 0 | 35 | 0 |
| kube-scheduler 1.37.1 | none | pod | 11 | 220 | 185 | 0 | 35 | 0 |
| kube-scheduler 1.37.1 | best-effort | container | 11 | 220 | 185 | 0 | 35 | 0 |
| kube-scheduler 1.37.1 | best-effort | pod | 11 | 220 | 185 | 0 | 35 | 0 |
| kube-scheduler 1.37.1 | restricted | container | 11 | 220 | 183 | 18 | 19 | 0 |
| kube-scheduler 1.37.1 | restricted | pod | 11 | 220 | 184 | 20 | 16 | 0 |
| kube-scheduler 1.37.1 | single-numa-node | container | 17 | 340 | 280 | 28 | 32 | 0 |
| kube-scheduler 1.37.1 | single-numa-node | pod | 17 | 340 | 285 | 34 | 21 | 0 |
| NodeResourceTopologyMatch 0.34.7 | none | container | 11 | 220 | 184 | 0 | 36 | 0 |
| NodeResourceTopologyMatch 0.34.7 | none | pod | 11 | 220 | 184 | 0 | 36 | 0 |
| NodeResourceTopologyMatch 0.34.7 | best-effort | container | 11 | 220 | 184 | 0 | 36 | 0 |
| NodeResourceTopologyMatch 0.34.7 | best-effort | pod | 11 | 220 | 184 | 0 | 36 | 0 |
| NodeResourceTopologyMatch 0.34.7 | restricted | container | 11 | 220 | 185 | 13 | 22 | 0 |
| NodeResourceTopologyMatch 0.34.7 | restricted | pod | 11 | 220 | 184 | 18 | 18 | 0 |
| NodeResourceTopologyMatch 0.34.7 | single-numa-node | container | 16 | 320 | 265 | 0 | 55 | 0 |
| NodeResourceTopologyMatch 0.34.7 | single-numa-node | pod | 16 | 320 | 266 | 0 | 54 | 0 |

Of 2,000 pods the default scheduler had 100 bound that a kubelet refused with TopologyAffinityError; it knows no
NUMA nodes, and promises nothing of them. The plugin had 31 of 1,960, none of them under
`single-numa-node`, the one policy that it filters by. None of the 521 pods that were held back
would have been taken by a kubelet of the group.

Objects were published by node-feature-discovery 0.18.3 beside each kubelet. Under `single-numa-node` the plugin was
given the time until they were right (`--exporter`, `-sleep-interval 200ms`); under the other policies not. Its program
was built with Kubernetes' modules of 0.34.10. Without the Memory Manager it holds back nearly all:
[why](exporters-and-schedulers.md#zones-without-memory).

## What they taught

- Two different wrong answers of one test were reported as an error of the suite. Now they are a failure (hwloc).
- Hints of pods as a whole were asked of targets that only hint for containers (Volcano). Now only those are asked that
  claim `topology-manager/scope/pod`.
- A shim that refuses everything passed `smoke` without a word (Koordinator, under a wrong node name). Now `smoke`
  shows it.
- The SDK for Go has what each shim wrote again: sets of CPUs, machine-wide core ids, conversion of hints, the version
  of a module.
"""
MARKS = {"met": "yes", "unmet": "**no**", "not followed": "not followed", "not asked": ""}
"""How a verdict of a requirement is told on the page."""


def about(allocator: str) -> dict[str, Any]:
    """Return what people wrote of an allocator."""
    told: dict[str, Any] = yaml.safe_load((HERE / allocator / "about.yaml").read_text(encoding="utf-8"))
    return told


def found(allocator: str) -> list[dict[str, Any]]:
    """Return what came of asking an allocator, one record for each way to ask it."""
    records: list[dict[str, Any]] = json.loads((HERE / allocator / "found.json").read_text(encoding="utf-8"))
    return records


def missing(allocator: str) -> str:
    """Return what an allocator needs and is not there; empty if it can be asked."""
    told = about(allocator)
    absent = [name for name in told["needs"] if shutil.which(name) is None and importlib.util.find_spec(name) is None]
    return f"{allocator} needs {' and '.join(absent)}, which is not installed" if absent else ""


def ask(allocator: str, folder: Path) -> list[dict[str, Any]]:
    """Build an allocator's shim in its folder, ask it in each of its ways, and return what came of it."""
    told = about(allocator)
    if "build" in told:
        subprocess.run(told["build"].split(), cwd=HERE / allocator, check=True)
    records = []
    for way in told["ways"]:
        report = folder / f"{allocator} {way['name']}"
        suite = [sys.executable, "-m", "pytest", "--numa-conformance", "-q", "-p", "no:cacheprovider"]
        subprocess.run([*suite, *way["options"], "--numa-report", str(report)], cwd=HERE / allocator, check=False)
        records.append({"way": way["name"], **record(read_report(report))})
    return records


def record(summary: Summary) -> dict[str, Any]:
    """Return what is kept of a run: who was asked, by which version, and the verdict of each requirement."""
    verdicts = {}
    for name, cases in summary.by_requirement().items():
        told = Counter(case.verdict for case in cases)
        if set(told) != {"not claimed"}:
            lax = "not followed" if told["not followed"] else "met"
            verdicts[name] = "unmet" if any(case.unmet for case in cases) else lax
    return {
        "name": summary.target.name,
        "version": summary.target.version,
        "kubernetes": summary.target.kubernetes,
        "surfaces": summary.target.surfaces,
        "suite": summary.suite,
        "cases": {name: count for name, count in summary.counts.items() if count},
        "asked": sum(case.asked for case in summary.cases),
        "requirements": dict(sorted(verdicts.items())),
    }


def page() -> str:
    """Return the page."""
    chapters = (line for one in ALLOCATORS for line in _chapter(one))
    return "\n".join([HEAD, *_overview(), *_table(), *chapters, TAIL])


def _columns() -> list[dict[str, Any]]:
    return [{**one, "title": _title(name, one)} for name in ALLOCATORS for one in found(name)]


def _title(allocator: str, one: dict[str, Any]) -> str:
    way = f", {one['way']}" if one["way"] else ""
    return f"{about(allocator)['title']}{way}"


def _overview() -> Iterator[str]:
    yield "| allocator | version | pages of | surfaces | requirements met | not met | not followed | judgements |"
    yield "|---|---|---|---|---|---|---|---|"
    for one in _columns():
        told = Counter(one["requirements"].values())
        surfaces = ", ".join(f"`{name}`" for name in one["surfaces"])
        yield (
            f"| {one['title']} | {one['version']} | {one['kubernetes']} | {surfaces} | {told['met']} | {told['unmet']} "
            f"| {told['not followed']} | {one['asked']:,} |"
        )
    yield ""


def _table() -> Iterator[str]:
    columns = _columns()
    asked = sorted({name for one in columns for name in one["requirements"]})
    yield "## Requirement by requirement\n"
    yield "Left empty: not claimed, so not asked.\n"
    yield f"| requirement | | {' | '.join(one['title'] for one in columns)} |"
    yield "|---|---|" + "---|" * len(columns)
    for name in asked:
        marks = (MARKS[one["requirements"].get(name, "not asked")] for one in columns)
        yield f"| {link_to(name)} | {REQUIREMENTS[name].strength} | {' | '.join(marks)} |"
    yield ""


def _chapter(allocator: str) -> Iterator[str]:
    told, records = about(allocator), found(allocator)
    yield f"## {told['title']} {records[0]['version']}\n"
    yield told["what"]
    yield f"```sh\n{told['repeat'].rstrip()}\n```\n"
    for one in records:
        cases = ", ".join(f"{count} {name}" for name, count in one["cases"].items())
        yield f"{_title(allocator, one)}: {cases}.\n"
    yield "| not met | why, and whose promise it is |\n|---|---|"
    for name, why in told["why"].items():
        yield f"| `{name}` | {' '.join(why.split())} |"
    yield ""
    if "not claimed" in told:
        yield f"Not claimed: {told['not claimed']}"


def main(asked: list[str]) -> int:
    """Ask what is asked for, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        for allocator in asked:
            if missing(allocator):
                print(f"skipped: {missing(allocator)}")
                continue
            text = json.dumps(ask(allocator, Path(folder)), indent=1)
            (HERE / allocator / "found.json").write_text(text + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
