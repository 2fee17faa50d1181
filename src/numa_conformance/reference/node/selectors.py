"""Whether a node's labels match what a pod requires of them, and its taints what a pod tolerates; None: not known."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...fields import object_at, objects_at
from .facts import NodeFacts


def matches(spec: Mapping[str, Any], facts: NodeFacts) -> bool | None:
    """Tell whether nodeSelector and required node affinity of a pod match; None where a label is not known."""
    parts = [_label(key, "In", [text], facts) for key, text in object_at(spec, "nodeSelector").items()]
    required = object_at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    if required:
        parts.append(_any([_term(term, facts) for term in objects_at(required, "nodeSelectorTerms")]))
    return _all(parts)


def _term(term: Mapping[str, Any], facts: NodeFacts) -> bool | None:
    """Tell whether one term matches; an empty one matches no node."""
    by_label = [
        _label(part.get("key"), part.get("operator"), part.get("values"), facts)
        for part in objects_at(term, "matchExpressions")
    ]
    by_name = [
        _holds(part.get("operator"), part.get("values"), facts.name) if facts.name else None
        for part in objects_at(term, "matchFields")
    ]
    return _all([*by_label, *by_name]) if by_label or by_name else False


def _label(key: object, operator: object, values: object, facts: NodeFacts) -> bool | None:
    known = isinstance(key, str) and key in facts.labels
    return _holds(operator, values, facts.labels[str(key)] if known else None) if known or facts.name else None


def _holds(operator: object, values: object, text: str | None) -> bool:
    listed = values if isinstance(values, list) else []
    match operator:
        case "Exists" | "DoesNotExist":
            return (text is not None) == (operator == "Exists")
        case "In" | "NotIn":
            return (text in listed) == (operator == "In")
        case "Gt" | "Lt":
            try:
                difference = int(text or "") - int(*listed)
            except (TypeError, ValueError):
                return False
            return difference > 0 if operator == "Gt" else difference < 0
    return False


def _all(parts: Sequence[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def _any(parts: Sequence[bool | None]) -> bool | None:
    return True if True in parts else None if None in parts else False


def tolerates(tolerations: Iterable[Mapping[str, Any]], taint: Mapping[str, Any]) -> bool:
    """Tell whether one of the tolerations covers a taint."""
    return any(
        toleration.get("effect") in (None, "", taint.get("effect"))
        and toleration.get("key") in (None, "", taint.get("key"))
        and (
            toleration.get("operator") == "Exists"
            or (
                toleration.get("operator") in (None, "", "Equal")
                and (toleration.get("value") or "") == (taint.get("value") or "")
            )
        )
        for toleration in tolerations
    )
