"""Which pods a kubelet ends so that a critical one fits (ADM-PRED-02)."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from ...errors import Refusal
from ...fields import object_at
from ...kube.pod import Pod

Amounts = Callable[[Pod], Mapping[str, int]]
"""What a pod requests, by resource."""
_FAILED = (
    "Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to "
    "preempt: no set of running pods found to reclaim resources: "
)


def pods_to_end(pod: Pod, others: Iterable[Pod], missing: Mapping[str, int], amounts: Amounts) -> list[Pod]:
    """Return the pods to end so that what is missing comes free: as few Guaranteed as can be, then Burstable ones.

    Among pods that are equal in all that counts the one that came last is taken; a kubelet takes any. Raises
    ``Refusal`` where all together do not suffice.
    """
    lower = [other for other in others if _is_lower(other, pod)]
    best, burstable, guaranteed = ([each for each in lower if each.qos == qos] for qos in _CLASSES)
    if rest := _rest(missing, lower, amounts):
        listed = "".join(f"(res: {name}, q: {amount}), " for name, amount in rest.items())
        raise Refusal("UnexpectedAdmissionError", f"{_FAILED}[{listed}]")
    guaranteed = _nearest(guaranteed, _rest(missing, [*best, *burstable], amounts), amounts)
    burstable = _nearest(burstable, _rest(missing, [*best, *guaranteed], amounts), amounts)
    best = _nearest(best, _rest(missing, [*burstable, *guaranteed], amounts), amounts)
    return [*best, *burstable, *guaranteed]


_CLASSES = ("BestEffort", "Burstable", "Guaranteed")


def _is_lower(other: Pod, pod: Pod) -> bool:
    both_have = not any(each.is_static and "priority" not in object_at(each.raw, "spec") for each in (pod, other))
    return (pod.is_critical and not other.is_critical) or (both_have and pod.priority > other.priority)


def _rest(missing: Mapping[str, int], ended: Iterable[Pod], amounts: Amounts) -> dict[str, int]:
    rest = {name: amount - sum(amounts(pod).get(name, 0) for pod in ended) for name, amount in missing.items()}
    return {name: amount for name, amount in rest.items() if amount > 0}


def _nearest(pods: Sequence[Pod], missing: Mapping[str, int], amounts: Amounts) -> list[Pod]:
    """Take pods until nothing is missing, each time the one that leaves least, and of equals the smallest."""
    left, ended = list(pods), list[Pod]()

    def distance(pod: Pod) -> tuple[float, int, int]:
        held = amounts(pod)
        shares = (max(amount - held.get(name, 0), 0) / amount for name, amount in missing.items())
        return sum(share**2 for share in shares), held.get("memory", 0), held.get("cpu", 0)

    while missing:
        nearest = min(reversed(range(len(left))), key=lambda index: distance(left[index]))
        ended.append(left[nearest])
        left[nearest] = left[-1]  # the kubelet's, so that of equals the same one is next
        left.pop()
        missing = _rest(missing, ended[-1:], amounts)
    return ended
