"""Kubernetes' own unit tests, with the reference deciding: ``python go/upstream/upstream.py 1.37``.

The published module of a minor is copied from the Go module cache into the folder ``build`` beside this file, which
git ignores. A function that decides gets one line at its head, which asks the reference over stdio (``hooks``), and
goes on with Kubernetes' own code only where the question cannot be put. Then the packages' own tests run, twice: as
they are, and with the reference. Exits 0 where no test fails with the reference that passes without.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "kubelet"))

import modules  # noqa: E402  (it lies beside)

KUBELET = "pkg/kubelet/cm"
LIFE, PREEMPTION = "pkg/kubelet/lifecycle", "pkg/kubelet/preemption"
FIT = "pkg/scheduler/framework/plugins/noderesources"


@dataclass(frozen=True)
class Hook:
    """A function of Kubernetes, and the function of ours that is asked in its place: ``call`` with its parameters."""

    file: str
    name: str
    call: str
    answer: str
    receiver: str = ""
    required: bool = True

    @property
    def pattern(self) -> re.Pattern[str]:
        """Finds the line that declares the function."""
        receiver = rf"\((?P<self>\w+) \*{self.receiver}\) " if self.receiver else ""
        return re.compile(rf"^func {receiver}{self.name}\((?P<parameters>[^\n]*?)\) [^\n]*\{{\n", re.MULTILINE)

    def put_into(self, text: str) -> str | None:
        """Return the file with the line at the function's head; None where the minor has no such function."""
        found = self.pattern.search(text)
        if found is None:
            return None
        names = [found["self"]] if self.receiver and self.name != "Merge" else []
        names = ["p"] if self.name == "Merge" else names
        for parameter in found["parameters"].split(","):
            name = parameter.split()[0]
            names += [] if name in {"logger", "ctx", "_", "h", "fts"} else [name]
        line = f"\tif told := {self.call}({', '.join(names)}); told != nil {{\n\t\treturn {self.answer}\n\t}}\n"
        return text[: found.end()] + line + text[found.end() :]


POLICIES = {
    "best_effort": "bestEffortPolicy",
    "restricted": "restrictedPolicy",
    "single_numa_node": "singleNumaNodePolicy",
}
HOOKS = [
    *(
        Hook(f"{KUBELET}/cpumanager/cpu_assignment.go", f"takeByTopologyNUMA{way}", f"ask{way}", "told.cpus, told.err")
        for way in ("Packed", "Distributed")
    ),
    *(
        Hook(f"{KUBELET}/{manager}/policy_static.go", name, call, "*told", "staticPolicy")
        for manager in ("cpumanager", "memorymanager")
        for name, call in (("GetTopologyHints", "askContainerHints"), ("GetPodTopologyHints", "askPodHints"))
    ),
    *(
        Hook(f"{KUBELET}/topologymanager/policy_{file}.go", "Merge", "askMerge", "told.hint, told.admit", policy)
        for file, policy in POLICIES.items()
    ),
    Hook(f"{KUBELET}/memorymanager/policy_static.go", "Allocate", "askAllocate", "told.err", "staticPolicy"),
    Hook(
        f"{KUBELET}/memorymanager/policy_static.go", "AllocatePod", "askAllocatePod", "told.err", "staticPolicy", False
    ),
    *(
        Hook(f"{KUBELET}/devicemanager/topology_hints.go", name, f"ask{call}", "*told", "ManagerImpl")
        for name, call in (
            ("GetTopologyHints", "ContainerHints"),
            ("GetPodTopologyHints", "PodHints"),
            ("generateDeviceTopologyHints", "GeneratedHints"),
        )
    ),
    Hook(f"{LIFE}/predicate.go", "generalFilter", "askGeneralFilter", "told.reasons"),
    Hook(f"{PREEMPTION}/preemption.go", "getPodsToPreempt", "askPodsToPreempt", "told.pods, told.err"),
    Hook(f"{FIT}/fit.go", "NewFit", "rememberArguments", "nil, nil"),
    Hook(f"{FIT}/fit.go", "Score", "askNodeScore", "told.score, nil", "Fit"),
    Hook(f"{FIT}/fit.go", "Filter", "askNodeFilter", "told.status", "Fit"),
]
MANAGERS = [f"{KUBELET}/{kind}manager" for kind in ("cpu", "memory", "device", "topology")]
PACKAGES = [*MANAGERS, LIFE, PREEMPTION, FIT]


def patches() -> dict[str, str]:
    """Return the patch of each minor, oldest first."""
    text = (HERE.parent / "kubelet" / "minors.txt").read_text(encoding="utf-8")
    return {modules.minor_of(patch): patch for patch in text.split()}


def run_go(folder: Path, *words: str) -> str:
    """Run the Go client in a folder; returns what it prints."""
    return subprocess.run(["go", *words], cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout


def copy(minor: str) -> Path:
    """Copy the module of a minor with the hooks in it, and write the module that its tests run in."""
    build = HERE / "build" / minor
    kubernetes = build / "kubernetes"
    told = json.loads(modules.go("mod", "download", "-json", f"k8s.io/kubernetes@v{patches()[minor]}"))
    shutil.rmtree(kubernetes, ignore_errors=True)
    build.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-r", "--no-preserve=mode", told["Dir"], str(kubernetes)], check=True)
    for hook in HOOKS:
        put(hook, kubernetes)
    for package in PACKAGES:
        for file in (HERE / "hooks" / Path(package).name).glob("*.go"):
            shutil.copy(file, kubernetes / package / f"numa_conformance_{file.name}")
    write_module(build, minor)
    return build


def put(hook: Hook, kubernetes: Path) -> None:
    """Put one hook into the copy; ends the run where a function that every minor has is not found."""
    path = kubernetes / hook.file
    text = hook.put_into(path.read_text(encoding="utf-8"))
    if text is not None:
        path.write_text(text, encoding="utf-8")
    elif hook.required:
        raise SystemExit(f"{hook.file}: no function {hook.name} as it is looked for: {hook.pattern.pattern}")


def write_module(build: Path, minor: str) -> None:
    """Write the module of the copy: that of the adapter, with the copy in the place of what is published."""
    minors = HERE.parent / "kubelet" / "minors"
    ours = "github.com/numa-conformance/numa-conformance/go"
    shutil.copy(minors / f"{minor}.sum", build / "go.sum")
    shutil.copy(minors / f"{minor}.mod", build / "go.mod")
    run_go(
        build,
        "mod",
        "edit",
        "-module=upstream",
        f"-replace={ours}={HERE.parent}",
        f"-replace={ours}/upstream={HERE}",
        "-replace=k8s.io/kubernetes=./kubernetes",
        f"-require={ours}/upstream@v0.0.0",
    )


@dataclass
class Run:
    """What came of the tests of the packages: name to outcome, and what was asked."""

    outcomes: dict[tuple[str, str], str] = field(default_factory=dict)
    printed: dict[tuple[str, str], str] = field(default_factory=dict)
    answered: Counter[tuple[str, str]] = field(default_factory=Counter)
    unsaid: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def of(self, package: str, outcome: str) -> int:
        """Return how many tests and subtests of a package ended so."""
        return sum(name == package and ended == outcome for (name, _), ended in self.outcomes.items())


def compile_tests(build: Path, minor: str) -> None:
    """Compile the tests of the packages, once for all runs."""
    for package in PACKAGES:
        words = (
            "-trimpath",
            "-vet=off",
            "-mod=mod",
            f"-tags=upstream,{modules.tags(minor)}",
            "-o",
            str(program(build, package)),
        )
        run_go(build, "test", "-c", *words, f"k8s.io/kubernetes/{package}")


def program(build: Path, package: str) -> Path:
    """Return where the compiled tests of a package lie."""
    return build / f"{Path(package).name}.test"


def test(build: Path, words: list[str], reference: str | None) -> Run:
    """Run the tests of the packages, with the reference of a version asked, or none."""
    run = Run()
    for package in PACKAGES:
        record = build / "asked.jsonl"
        record.unlink(missing_ok=True)
        environment = dict(os.environ)
        if reference:
            command = [sys.executable, str(HERE / "answering.py"), reference]
            environment |= {"NUMA_UPSTREAM_REFERENCE": json.dumps(command), "NUMA_UPSTREAM_RECORD": str(record)}
        done = subprocess.run(
            ["go", "tool", "test2json", str(program(build, package)), "-test.v=test2json", *words],
            cwd=build / "kubernetes" / package,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        read_events(done.stdout, Path(package).name, run)
        if reference and record.exists():
            read_record(record, Path(package).name, run)
    return run


def read_events(text: str, package: str, run: Run) -> None:
    """Read what ``go tool test2json`` prints; ends the run where the tests of a package did not end."""
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        event = json.loads(line)
        key = (package, event.get("Test", ""))
        if event["Action"] in {"pass", "fail", "skip"}:
            run.outcomes[key] = event["Action"]
        elif event["Action"] == "output":
            run.printed[key] = run.printed.get(key, "") + event["Output"]
    if (package, "") not in run.outcomes:
        raise SystemExit(f"the tests of {package} did not end:\n{text[-4000:]}")
    del run.outcomes[package, ""]


def read_record(record: Path, package: str, run: Run) -> None:
    """Read which questions were put."""
    for line in record.read_text(encoding="utf-8").splitlines():
        noted = json.loads(line)
        if "unsaid" in noted:
            run.unsaid[package, noted["in"], noted["unsaid"].partition("\n")[0]] += 1
        else:
            run.answered[package, noted["in"]] += 1


def main(words: list[str]) -> int:
    """Run the tests of a minor (the newest if none is named); further words, as -test.run=..., go to them."""
    known = patches()
    parser = argparse.ArgumentParser(prog="upstream", description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("minor", nargs="?", default=list(known)[-1], choices=list(known))
    parser.add_argument(
        "--details", action="store_true", help="print what tests that fail print, and why what is unsaid"
    )
    parser.add_argument("--reference", metavar="VERSION", help="ask that of another version: tests are to fail")
    options, rest = parser.parse_known_args(words)
    if shutil.which("go") is None:
        print("skipped: the tests run with Go, which is not installed")
        return 0
    print(
        f"copying and building the packages of Kubernetes {known[options.minor]} (minutes the first time)", flush=True
    )
    build = copy(options.minor)
    compile_tests(build, options.minor)
    alone = test(build, rest, None)
    asked = test(build, rest, options.reference or options.minor)
    return tell(alone, asked, details=options.details)


def tell(alone: Run, asked: Run, *, details: bool) -> int:
    """Print a line for each package, and what differs; returns the exit code."""
    print("| package | tests passed | failed with the reference alone | decisions answered | questions not put |")
    print("|---|---|---|---|---|")
    worse = [key for key, ended in asked.outcomes.items() if ended == "fail" and alone.outcomes.get(key) == "pass"]
    worse += [key for key, ended in alone.outcomes.items() if ended == "pass" and key not in asked.outcomes]
    for package in (Path(path).name for path in PACKAGES):
        answered = sum(count for (name, _), count in asked.answered.items() if name == package)
        unsaid = sum(count for (name, *_), count in asked.unsaid.items() if name == package)
        failed = sum(name == package for name, _ in worse)
        print(f"| {package} | {asked.of(package, 'pass')} | {failed} | {answered:,} | {unsaid:,} |")
    for (package, name), count in sorted(asked.answered.items()):
        print(f"{package}: {name}: {count} answered")
    for (package, name, why), count in sorted(asked.unsaid.items()):
        print(f"{package}: {name}: {count} not put: {why}")
    for package, name in worse:
        print(f"FAILED with the reference: {package} {name}")
        if details:
            print(asked.printed.get((package, name), ""))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
