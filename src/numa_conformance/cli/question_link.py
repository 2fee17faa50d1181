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
from ..reference.simulation.link import MOST, digest, link
from ..reference.simulation.node_inputs import NodeInputs
from .node_at_work import NodeOptions


def question_link(base: str, node: NodeOptions, pods: Sequence[Path], answer: Answer, other: NodeInputs | None) -> str:
    """Return the address; raises ``UsageError`` for a question that is not in files."""
    if node.dump is not None or Path("-") in pods:
        raise UsageError(Fault("--link", "cannot hold a node at work, or the standard input", "--machine and files"))
    inputs, is_known = answer.inputs, node.machine_name in catalogue_names()
    question = {
        "machine": node.machine_name if is_known else "",
        "machineText": "" if is_known else machine_to_yaml(inputs.machine),
        "version": str(inputs.version),
        "level": inputs.level,
        "config": _written(inputs) if node.flags else _text(node.config_file) if node.config_file else "",
        "pods": "---\n".join(_text(path).rstrip("\n") + "\n" for path in pods),
        "otherVersion": str(other.version) if other else "",
        "otherConfig": _written(other) if other else "",
    }
    return link(base, {**question, "by": __version__, "digest": digest(answer)})


def _written(inputs: NodeInputs) -> str:
    return json.dumps(inputs.config.to_dict(), indent=1)


def _text(path: Path) -> str:
    return read_bounded(path, MOST).decode()
