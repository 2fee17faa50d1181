"""``simulate --link``: the address at which the page in a browser answers a question of the shell."""

import json
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..errors import Fault, UsageError
from ..files import read_bounded
from ..machine import catalogue_names
from ..machine.codec import machine_to_yaml
from ..reference.simulation.answer import Answer
from ..reference.simulation.link import digest, link
from ..reference.simulation.node_inputs import NodeInputs
from .node_at_work import NodeChoice

_MOST = 1 << 20
"""Bytes of a file: the page reads no longer question."""


def question_link(base: str, node: NodeChoice, pods: Sequence[Path], answer: Answer, other: NodeInputs | None) -> str:
    """Return the address; raises ``UsageError`` for a question that is not in files."""
    if node.dump is not None or Path("-") in pods:
        raise UsageError(Fault("--link", "cannot hold a node at work, or the standard input", "--machine and files"))
    inputs = answer.inputs
    is_known = node.machine_name in catalogue_names()
    question = {
        "machine": str(node.machine_name) if is_known else "",
        "machineText": "" if is_known else machine_to_yaml(inputs.machine),
        "version": str(inputs.version),
        "level": inputs.level,
        "config": _configuration(inputs, node),
        "pods": "---\n".join(_text(path).rstrip("\n") + "\n" for path in pods),
        "by": __version__,
        "digest": digest(answer),
    }
    if other is not None:
        question |= {"otherVersion": str(other.version), "otherConfig": json.dumps(other.config.to_dict(), indent=1)}
    return link(base, {name: value for name, value in question.items() if value})


def _configuration(inputs: NodeInputs, node: NodeChoice) -> str:
    """Return the text of the file, or what it comes to with a kubelet's flags or as a folder."""
    if node.flags or node.config_file is None or node.config_file.is_dir():
        return json.dumps(inputs.config.to_dict(), indent=1) if node.flags or node.config_file else ""
    return _text(node.config_file)


def _text(path: Path) -> str:
    return read_bounded(path, _MOST).decode()
