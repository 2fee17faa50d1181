"""``numa-conformance explain``: pods that a kubelet refused, and hints of its log, from ``kubectl`` to the answer."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ..cpuset import iter_bits
from ..documents import name_of, read_content
from ..errors import Fault, UsageError
from ..kube import read_kubelet_configuration, with_flags
from ..kube.descriptions import HINTS, MAX_BYTES
from ..pasted import plain_lines
from ..reference.managers.hint import Hint
from ..reference.managers.topology import explain_merge
from ..reference.managers.topology.policy import policy_of
from ..reference.node import Explainer
from ..reference.node.explain import MergeTrace
from ..reference.simulation.answer import ask
from ..reference.simulation.questions import explanation_of
from ..reference.simulation.reading import quirks_of, read_all
from ..sources.options import TopologyOptions
from ..sources.policies import TOPOLOGY_POLICIES
from ..sources.quirks import Quirks
from ..sources.versions import DEFAULT, NEWEST, KubernetesVersion
from .node_at_work import NodeOptions, node_at_work_options
from .options import INPUT, version
from .terminal import DIFFERENT, OK, notice, print_json, say, terminal_width


@click.command("explain")
@click.argument("pods", nargs=-1, required=True, type=INPUT)
@node_at_work_options
@click.option("--upgrade", type=version, help=f"Say what changes with this version (default: {NEWEST}).")
@click.option("--all", "everything", is_flag=True, help="Show the pods that are admitted too.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def command(
    pods: tuple[Path, ...], node: NodeOptions, upgrade: KubernetesVersion | None, everything: bool, as_json: bool
) -> int:
    """Say of the pods in PODS that a kubelet refused why, what would admit each, and what an upgrade changes.

    PODS is what `kubectl get pods -A -o yaml --field-selector spec.nodeName=NODE` prints. The pods that run are placed
    first; those that were refused are asked again. A list may have steps between pods (docs/steps.md). PODS may also be
    what `kubectl describe pod` prints, and a kubelet's log, of which the topology hints are merged. Exits with 1 when a
    pod is refused.
    """
    if logs := {path: hints for path in pods if (hints := logged_hints(path))}:
        quirks = quirks_of(node.level, node.kubernetes_version or DEFAULT).node
        config = with_flags(read_kubelet_configuration(node.config_file), node.flags, quirks)
        for path, hints in logs.items():
            tell_hints(path, hints, config.topology_manager_policy, as_json=as_json)
    pods = tuple(path for path in pods if path not in logs)
    if not pods:
        return OK
    if node.dump is None and node.machine_name is None:
        raise click.UsageError("name the node: --from-node, or a --machine and its --config")
    inputs, beginning = node.begin(read_all(pods, notice, lives=True))
    answer = ask(inputs, beginning, notice, None)
    explanation = explanation_of(answer, upgrade or NEWEST, ", ".join(map(str, pods)), everything=everything)
    print_json(explanation.data) if as_json else click.echo(explanation.to_text(terminal_width()))
    return OK if explanation.admitted else DIFFERENT


_POD = re.compile(r"""\bpod="([^"]+)"|"pod":\{"name":"([^"]+)","namespace":"([^"]+)"|for pod '([^']+)'""")
_CONTAINER = re.compile(r"container(?:Name)?\"?[=: ]+[\"']([^\"']+)")
_JSON = re.compile(r"\b(hints|bestHint)\"?[=:](?=\{[\"}])")
_LISTED = re.compile(r"([A-Za-z][\w.\-/]*):\[((?:\{[^{}]*\} ?)*)\]")
_BINARY = re.compile(r"\{(?:NUMANodeAffinity:)?([01]+|<nil>) (?:Preferred:)?(t?)")
_MANAGERS = {"cpu": "cpus", "memory": "memory", "hugepages": "memory"}
_CUT = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
Answers = dict[str, dict[str, Sequence[Hint] | None]]


@dataclass
class LoggedHints:
    """What managers said last of a container, or of a pod as a whole, by resource; and how the kubelet merged it."""

    answers: Answers = field(default_factory=dict)
    best: Hint | None = None

    def add(self, line: str) -> None:
        """Take over a line of structured logging, or one of older kubelets, which write masks in binary.

        Raises what Python does where the line is cut.
        """
        by_resource: dict[str, Sequence[Hint] | None] = {}
        if match := _JSON.search(line):
            value, _ = json.JSONDecoder().raw_decode(line, match.end())
            if match[1] == "bestHint":
                self.best = _hint(value)
                return
            by_resource = {name: None if hints is None else [*map(_hint, hints)] for name, hints in value.items()}
        elif "bestHint" in line:
            self.best = next(iter(_binary(line)), None)
        else:
            by_resource = {name: _binary(hints) for name, hints in _LISTED.findall(line)}
        for resource, hints in by_resource.items():
            manager = _MANAGERS.get(resource.partition("-")[0], "devices")
            if resource in self.answers.get(manager, {}):
                self.answers, self.best = {}, None  # the pod comes again
            self.answers.setdefault(manager, {})[resource] = hints


LogHints = dict[tuple[str, str | None], LoggedHints]
"""By pod and container; None for a pod as a whole."""


def logged_hints(path: Path) -> LogHints:
    """Return the hints in a log by pod and container, nothing for a file of another kind; raises ``UsageError``."""
    content = read_content(path) if path.is_file() else b""
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    lines = [line for line in enumerate(plain_lines(text[:MAX_BYTES]).splitlines(), 1) if HINTS.search(line[1])]
    if lines and len(content) > MAX_BYTES:
        raise UsageError(Fault(name_of(path), f"is larger than {MAX_BYTES} bytes", "its lines with hints alone"))
    every: LogHints = {}
    for number, line in lines:
        pod, container = _POD.search(line), _CONTAINER.search(line)
        try:
            if pod or "bestHint" not in line:  # older kubelets name no pod there
                name = "/".join(filter(None, reversed(pod.groups())))  # type: ignore[union-attr]  # a line that is cut
                every.setdefault((name, container[1] if container else None), LoggedHints()).add(line)
        except _CUT as error:
            raise UsageError(Fault(f"{name_of(path)}:{number}", "is no whole line of a log", "uncut lines")) from error
    return {key: logged for key, logged in every.items() if logged.answers}


def _binary(text: str) -> list[Hint]:
    return [Hint(None if mask == "<nil>" else int(mask, 2), bool(true)) for mask, true in _BINARY.findall(text)]


def _hint(value: dict[str, Any]) -> Hint:
    mask, preferred = value["NUMANodeAffinity"], value["Preferred"]
    if not (mask is None or (isinstance(mask, int) and 0 < mask < 1 << 64)) or not isinstance(preferred, bool):
        raise ValueError(value)
    return Hint(mask, preferred)


def tell_hints(path: Path, every: LogHints, policy: str, *, as_json: bool) -> None:
    """Print the hints in a log, merged by a policy, or by each where it is none."""
    listed = (hints or () for logged in every.values() for by in logged.answers.values() for hints in by.values())
    nodes = range(max((hint.mask or 1 for hints in listed for hint in hints), default=1).bit_length())
    policies = [name for name in TOPOLOGY_POLICIES if name != "none" and policy in ("none", name)]
    rows = []
    for (pod, container), logged in every.items():
        explainer = Explainer()
        for name in policies:
            merging = policy_of(name, "container", TopologyOptions(), nodes, None, Quirks.none().topology)
            merged = merging.merge(logged.answers.values())
            rule = explain_merge(merging, [*logged.answers.values()]).rule
            explainer.merges[name] = [MergeTrace(container, logged.answers, merged.hint, merged.admit, rule)]
        rows.append({"pod": pod, "policies": {name: explainer.to_dict(name)["merges"][0] for name in policies}})
        if not as_json:
            texts = {name: explainer.to_text(name).splitlines() for name in policies}
            say(f"{pod}, {texts[policies[0]][0]}", *texts[policies[0]][1:-2])
            if best := logged.best:
                shown = "any" if best.mask is None else f"{{{','.join(map(str, iter_bits(best.mask)))}}}"
                say(f"  the kubelet's: {shown}{'' if best.preferred else ' (not preferred)'}")
            for name, lines in texts.items():
                say(f"  {name}: {lines[-2].strip()}", f"    {lines[-1].strip()}")
    notice(f"{path}: NUMA nodes are taken to be as many as hints name, {len(nodes)}")
    if as_json:
        print_json({"numaNodes": len(nodes), "hints": rows})
