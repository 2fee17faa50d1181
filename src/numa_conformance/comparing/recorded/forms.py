"""The form of a recorded decision: what a record lacks is told with file, line and field before a target is asked."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ...errors import UsageError, closest
from ...fields import Fields, kind_of, shown
from ...forms import read_form
from ...wire.messages import METHODS
from ...wire.messages.node import AdmitPod, ReadCheckpoints, Reconcile, RemovePod, RestartNode, RunPod, StartNode
from .node_steps import FAILURE
from .replay import KINDS
from .single_questions import QUESTIONS
from .vectors import Vector


class _Write(msgspec.Struct):
    files: dict[str, str | None]


_STEPS: Mapping[str, type[msgspec.Struct]] = {
    "admit": AdmitPod,
    "checkpoints": ReadCheckpoints,
    "reconcile": Reconcile,
    "remove": RemovePod,
    "restart": RestartNode,
    "start": RunPod,
    "write": _Write,
}


class _Body(dict[str, Any]):
    """A record in which what is missing is None, as which a form refuses it."""

    def __missing__(self, name: str) -> None:
        return None


def check_form(vector: Vector) -> None:
    """Raise ``UsageError`` with all that a record lacks."""
    fields, body = Fields(vector.place), _Body(vector.body)
    if vector.kind not in KINDS:
        fields.fault("kind", f"is {shown(vector.kind)}", ", ".join(sorted(KINDS)), closest(vector.kind, KINDS))
    elif vector.kind not in QUESTIONS:
        _check(StartNode, {name: body[name] for name in ("machine", "kubelet")}, "", fields)
        failed = all(name in body for name in FAILURE)
        failed = failed or (_is_object(body, "initial", fields) and body["initial"].get("result") == "failed")
        expected, steps = fields.entries(body["expect"], "expect"), fields.entries(body["steps"], "steps")
        if fields.sound and not failed and len(expected) != len(steps):
            fields.fault("expect", f"has {len(expected)} entries", f"as many as steps, {len(steps)}")
        for path, step in steps:
            operation = step.get("op") if isinstance(step, dict) else None
            if operation not in list(_STEPS):
                fields.fault(f"{path}.op", f"is {shown(operation)}", ", ".join(_STEPS))
            else:
                form = _STEPS[operation]
                _check(form, {name: step[name] for name in form.__struct_fields__ if name in step}, path, fields)
    elif vector.kind == "question" and body["method"] not in list(METHODS):
        fields.fault("method", f"is {shown(body['method'])}", ", ".join(METHODS))
    elif vector.kind != "cpu-static" or _is_object(body, "machine", fields):
        method, params = QUESTIONS[vector.kind](body)
        _check(METHODS[method].request, params, "params" if vector.kind == "question" else "", fields)
    if vector.kind in QUESTIONS and "construction_error" not in body:
        _is_object(body, "expect", fields)
    fields.raise_if_any()


def _is_object(body: _Body, name: str, fields: Fields) -> bool:
    if isinstance(body[name], dict):
        return True
    fields.fault(name, f"is {kind_of(body[name])}", "an object")
    return False


def _check(form: type[msgspec.Struct], value: object, path: str, fields: Fields) -> None:
    try:
        read_form(form, value, path=path)
    except UsageError as error:
        fields.take("", error)
