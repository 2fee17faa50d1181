"""Ask the kubelet's code what it does around its managers, and the reference the same, and keep what differs.

    python go/kubelet/doors.py 1.34 [--count 20000] [--seed 7]

Asked are decoding, defaults and validation of the configuration, the container manager's check of what it keeps back,
the node's allocatable amounts, the validation of pods, and admission: eviction pressure, sysctls, predicates, what ends
for a critical pod, and the pod-level gate. Exits 1 where something differs.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import ask
from odd_doors import odd_doors

from numa_conformance.errors import Refusal, StartError, UsageError
from numa_conformance.kube import KubeletConfiguration, NodeObject, Pod, validate
from numa_conformance.machine import machine_from_dict
from numa_conformance.reference.node import Node, NodeFacts, node_allocatable
from numa_conformance.sources.configuration_fields import FIELDS
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion

Json = dict[str, Any]
MAPS = (("eviction", "quantities must"), ("feature gate",))
ENFORCED = "Failed to enforce"
"""What the kubelet says of cgroups once it runs, which no question makes it do."""
INPUT = "input: "
"""Stands before a fault of the reference's readers: of what a decoder refuses they speak in words of their own."""
AMOUNT = re.compile(r"\{\{[^}]*\} \{<nil>\} {1,2}\w*\}")
"""How Go prints an amount in a message, where the reference writes it as a quantity."""


def answered(asked: Json, version: KubernetesVersion) -> Json:
    """Return what the reference says of a question, in the words of the answers of ``door.go``.

    Pods there have no status, so that what counts of it counts once.
    """
    told, node = started(asked, version, Quirks.of(version).without("overhead-counts-twice"))
    if node is None or "pod" not in asked:
        return told
    try:
        others = [Pod.from_dict(each).under_gates(node.gates, node.quirks.node) for each in asked["pods"]]
        pod = Pod.from_dict(asked["pod"]).under_gates(node.gates, node.quirks.node)
    except UsageError as error:
        return {**told, "invalid": str(error)}
    ended: list[Pod] = []
    try:
        node.chain.check_before(pod, others, None)
        node.chain.check_after(pod, others, ended, None)
    except Refusal as refusal:
        told |= {"reason": refusal.reason, "message": refusal.message}
        told["also"] = [each.refusal.message for each in node.chain._fit.shortages(pod, others)]
    told["ended"] = [each.uid for each in ended]
    return told


def started(asked: Json, version: KubernetesVersion, quirks: Quirks) -> tuple[Json, Node | None]:
    """Return what the reference says of a start, and the node where one comes up."""
    told: Json = {}
    try:
        config = KubeletConfiguration.from_dict(asked["configuration"], lenient=True)
        unknown = [name for name in asked["configuration"] if name in FIELDS and FIELDS[name].since > version]
        told["strict"] = bool(config.passed_over or unknown)
        validate(config, version)
        described = {**asked.get("node", {"metadata": {"name": "node"}})}
        described["status"] = {**described.get("status", {}), "allocatable": _storage(asked)}
        facts = NodeFacts.of(NodeObject.from_dict(described), config)
        machine = machine_from_dict({**asked["machine"], "name": "odd"})
        node = Node(machine, config, kubernetes_version=version, quirks=quirks, resource_fit=True, facts=facts)
    except StartError as error:
        return {**told, "fails": error.message}, None
    except UsageError as error:
        return {**told, "fails": f"{INPUT}{error}"}, None
    told["allocatable"] = {**node_allocatable(machine, node.config), **_numbers(_storage(asked))}
    return told, node


def _storage(asked: Json) -> Json:
    return {"ephemeral-storage": str(asked["storage"])} if "storage" in asked else {"cpu": "1"}


def _numbers(storage: Json) -> Json:
    return {name: int(amount) for name, amount in storage.items() if name != "cpu"}


def differences(kubelet: Json, reference: Json) -> Iterator[str]:
    """Yield in a few words what differs between two answers to a question."""
    if "panic" in kubelet:
        yield "panic"
        return
    if reference.get("fails", "").startswith(ENFORCED):
        return
    for name in ("fails", "invalid"):
        if (name in kubelet) != (name in reference):
            yield f"{name} {'with the kubelet' if name in kubelet else 'with the reference'} alone"
            return
        if name in kubelet:
            if name == "fails" and not reference[name].startswith(INPUT) and not _alike(kubelet[name], reference[name]):
                yield "fails in other words"
            return
    if bool(kubelet.get("strict")) != reference["strict"]:
        yield "passed over"
    if kubelet["allocatable"] != reference["allocatable"]:
        yield "allocatable"
    same = kubelet.get("reason") == reference.get("reason") and _sorted(kubelet) == _sorted(reference)
    if not same and kubelet.get("message") not in reference.get("also", ()):
        yield f"reason {kubelet.get('reason')} for {reference.get('reason')}"
    if kubelet.get("ended", []) != reference.get("ended", []):
        yield "ended"


def _sorted(answer: Json) -> list[str]:
    """Return a message without the order of a map of Go."""
    return sorted(re.split(r"(?<=\)), |\[", answer.get("message", "")))


def _alike(one: str, other: str) -> bool:
    """Tell whether a kubelet may say either: of several thresholds or gates it tells the first of a map."""
    if _plain(one) == _plain(other):
        return True
    return any(all(any(text in each for text in words) for each in (one, other)) for words in MAPS)


def _plain(text: str) -> list[str]:
    """Return why a kubelet does not start, without what stands before, the order of maps, and the form of amounts."""
    for start in BEFORE:
        text = text.removeprefix(start)
    text = text.partition(", path: &TypeMeta")[0]
    text = AMOUNT.sub("N", re.sub(r"\{(\w+)\}", r"\1", text).removeprefix("[").removesuffix("]"))
    text = re.sub(r"(?<=of )-?\d+(\.\d+)?\w*(-\d+)?", "N", re.sub(r"^'.*': (?=quantities)", "", text))
    return sorted(part.strip() for part in re.split(r", (?=\w+ is enabled|invalid)|(?=Resource)", text))


BEFORE = (
    "failed to run Kubelet: ",
    "failed to create kubelet: ",
    "failed to validate kubelet configuration, error: ",
    "failed to set feature gates from initial flags-based config: ",
    "failed to merge global and in-flight KubeletConfiguration while setting defaults, error: ",
)


def ask_both(
    program: Path, version: KubernetesVersion, questions: Iterable[tuple[str, Json]]
) -> Iterator[tuple[str, Json, Json, Json]]:
    """Yield the kind of each question, the question, and the answers of the kubelet's code and of the reference."""
    with subprocess.Popen([str(program), "-door"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as asked:
        assert asked.stdin
        assert asked.stdout
        for kind, question in questions:
            asked.stdin.write(json.dumps(question) + "\n")
            asked.stdin.flush()
            reference = answered(question, version)
            yield kind, question, json.loads(asked.stdout.readline()), reference
        asked.stdin.close()


def main(words: list[str]) -> int:
    """Ask a minor, and tell how many questions of each kind differ, and how; returns 1 where one does."""
    parser = argparse.ArgumentParser(prog="doors", allow_abbrev=False)
    parser.add_argument("minor", choices=list(ask.patches()))
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=date.today().toordinal())
    parser.add_argument("--program", type=Path, help="one that is built, in place of building it")
    options = parser.parse_args(words)
    program = options.program or ask.build(options.minor)
    version = KubernetesVersion.supported(options.minor)
    lot = random.Random(f"doors {options.seed}")
    questions = islice(odd_doors(lot, version), options.count)
    file = program.with_name(f"{program.name}-doors-{options.seed}.jsonl")
    return tell(options.minor, ask_both(program, version, questions), file)


def tell(name: str, answers: Iterable[tuple[str, Json, Json, Json]], file: Path) -> int:
    """Tell how many answers differ, and how; those that do go into a file. Returns 1 where one does."""
    kinds, outcomes, differing = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    others = Counter[str]()
    kept: list[Json] = []
    for kind, question, kubelet, reference in answers:
        kinds[kind] += 1
        outcomes[_outcome(kubelet)] += 1
        found = list(differences(kubelet, reference))
        others[kind] += bool(found)
        for words_of_it in found:
            differing[kind, words_of_it] += 1
            kept.append(
                {"kind": kind, "differs": words_of_it, "question": question, "kubelet": kubelet, "reference": reference}
            )
    for outcome, number in sorted(outcomes.items()):
        print(f"  {outcome}: {number:,}")
    for kind, number in kinds.items():
        print(f"{name}, {kind}: {number:,} questions, {others[kind]:,} differ")
    for (kind, how), number in sorted(differing.items()):
        print(f"  {kind}: {how}: {number:,}")
    if kept:
        file.write_text("".join(f"{json.dumps(each)}\n" for each in kept), encoding="utf-8")
        print(file)
    return 1 if kept else 0


def _outcome(answer: Json) -> str:
    """Return the kind of an answer."""
    for name in ("panic", "fails", "invalid"):
        if name in answer:
            return name
    return answer.get("reason") or ("admitted, others end" if answer.get("ended") else "started or admitted")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
