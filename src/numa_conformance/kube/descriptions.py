"""What ``kubectl describe pod`` prints, as pods; of other texts about pods, what to give in their place."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from ..documents import Document
from ..errors import Fault, UsageError
from ..pasted import decoded, plain_lines
from ..printable import listed

MAX_BYTES = 16 * 1024 * 1024
_HEAD = 65_536
DESCRIBED = "described"
"""The resource version of a pod that was read of a description."""
HINTS = re.compile(r"\bhints[\"']?[=:]|TopologyHints for pod|bestHint")
"""What the Topology Manager writes in a kubelet's log."""
_NODE = re.compile(r"^ *(?:Allocatable|Non-terminated Pods|Pod Template):", re.M)
_POD = re.compile(r"^ *(?:Init )?Containers:$|^ *Name:[ ]+\S+\n *(?:Namespace|Priority):", re.M)
_NAME = re.compile(r"^( *)Name:[ ]+\S", re.M)
_TABLE = re.compile(r"^(?:NAMESPACE +)?(?:LAST SEEN +|NAME +(?:READY|STATUS) +)\S", re.M)
_LOG = re.compile(r"\bkubelet\[\d+\]: |^[IWEF]\d{4} [\d:.]+ +\d+ \S+\.go:\d+\]|\"caller\":\"\S+\.go:", re.M | re.ASCII)
_REFUSED = re.compile(r"\b(TopologyAffinityError|SMTAlignmentError|UnexpectedAdmissionError|OutOf[a-z]+) +pods?/(\S+)")
_SECTIONS = {"Init Containers": "initContainers", "Containers": "containers", "Resources": "resources"}
_TOLERATION = re.compile(r"(?!op=)([^=:\s]*)=?([^:\s]*):?(\S*)")
PODS_OF_NODE = "kubectl get pods -A -o yaml --field-selector spec.nodeName=NODE"
"""What prints all pods of a node."""


def described_pods(content: bytes | str, place: str) -> list[Document]:
    """Return the pods of descriptions, and nothing for a text of another kind.

    Raises ``UsageError`` for a text about pods of which none can be made, with the command to run instead.
    """
    head = plain_lines(decoded(content[:_HEAD]))
    table, log, node, pod = (sign.search(head) for sign in (_TABLE, _LOG, _NODE, _POD))
    if not (table or log or node or pod):
        return []
    if len(content) > MAX_BYTES:
        raise UsageError(Fault(place, f"is larger than {MAX_BYTES} bytes", PODS_OF_NODE))
    text = plain_lines(decoded(content))
    if pod and not node:
        return [Document(place, made) for made in _pods(text, place)]
    what = "describes no pod" if node else "is a table of kubectl" if table else "is a log"
    if refused := [f"{name} ({reason})" for reason, name in _REFUSED.findall(text)]:
        what += f" that has refused pods: {listed(dict.fromkeys(refused))}"
    more = "; explain reads topology hints of a log" if log else "; of nodes: kubectl get nodes,pods -A -o yaml"
    raise UsageError(Fault(place, what, f"what they ask for: {PODS_OF_NODE}{more if log or node else ''}"))


def _pods(text: str, place: str) -> Iterator[dict[str, Any]]:
    first = _NAME.search(text)
    if not first:
        accepted = f"the text from its first line, or {PODS_OF_NODE}"
        raise UsageError(Fault(place, "describes a pod without its name", accepted))
    indent = first[1]
    for part in filter(None, re.split(rf"^(?={indent}Name:[ ]+\S)", text[first.start() :], flags=re.M)):
        lines = takewhile(lambda line: not line or line.startswith(indent), part.splitlines())
        made = _pod(line[len(indent) :] for line in lines if line)
        if not made["spec"].get("containers"):
            raise UsageError(Fault(place, "describes a pod without containers: cut, or not indented", PODS_OF_NODE))
        yield made


def _pod(lines: Iterable[str]) -> dict[str, Any]:
    heads: dict[str, str] = {}
    spec: dict[str, Any] = {}
    section, head, table, container = "", "", dict[str, str](), dict[str, Any]()
    for line in lines:
        indent, (key, _, value) = len(line) - len(line.lstrip()), line.strip().partition(":")
        if not indent:
            section, head = _SECTIONS.get(key, ""), key
            heads.setdefault(key, value.strip().partition(" (lasts")[0])
        elif not section:
            heads[head] += f"\n{line.strip()}"
        elif section == "resources":
            table = spec.setdefault(section, {}).setdefault(key.lower(), {}) if indent == 2 else table
            table |= {} if indent == 2 else {key: value.strip()}
        elif indent == 2:
            container = {"name": key, "resources": {}, "ports": []}
            spec.setdefault(section, []).append(container)
        elif indent == 4 and container:
            table = container["resources"].setdefault(key.lower(), {}) if key in ("Limits", "Requests") else {}
            numbers = re.findall(r"([1-9][0-9]{0,5})/", value) if key.startswith("Host Port") else ()
            container["ports"] += [{"containerPort": int(number), "hostPort": int(number)} for number in numbers]
            container |= {"restartPolicy": value.strip()} if key == "Restart Policy" else {}
        elif indent == 6:
            table[key] = value.strip()
    pairs = (line.split(": ", 1) for line in _lines(heads, "Annotations"))
    status = {"phase": "Status", "reason": "Reason", "message": "Message", "qosClass": "QoS Class"}
    metadata = {"name": heads["Name"], "namespace": heads.get("Namespace"), "resourceVersion": DESCRIBED}
    if heads.get("Priority", "").lstrip("-").isdecimal():
        spec["priority"] = int(heads["Priority"])
    selectors = (line.partition("=") for line in _lines(heads, "Node-Selectors"))
    spec["nodeSelector"] = {name: value for name, _, value in selectors}
    spec["tolerations"] = [_toleration(line) for line in _lines(heads, "Tolerations")]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, "annotations": {pair[0]: pair[1].strip() for pair in pairs if len(pair) > 1}},
        "spec": {**spec, "nodeName": heads.get("Node", "").partition("/")[0].removeprefix("<none>")},
        "status": {name: heads[head] for name, head in status.items() if heads.get(head)},
    }


def _lines(heads: Mapping[str, str], head: str) -> list[str]:
    return [line for line in heads.get(head, "").splitlines() if line not in ("", "<none>")]


def _toleration(line: str) -> dict[str, Any]:
    match = _TOLERATION.match(line)
    key, value, effect = match.groups() if match else ("", "", "")
    exists, seconds = "op=Exists" in line, re.search(r" for ([0-9]{1,9})s$", line)
    limit = {"tolerationSeconds": int(seconds[1])} if seconds else {}
    return {"key": key, "operator": "Exists" if exists else "Equal", "value": value, "effect": effect, **limit}
