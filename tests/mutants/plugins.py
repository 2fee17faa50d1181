"""Device plugins that are wrong in one way each."""

from __future__ import annotations

from .lies import Json
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

_PLUGIN = "device-plugin/"
_PREFERRED = _PLUGIN + "preferred-allocation/"


def _silent(answer: Json, memory: Memory) -> Json:
    return {"result": "failed", "message": "nobody has registered"}


def _first_restart(answer: Json, memory: Memory) -> Json:
    memory.notes["restarts"] = 0
    return answer


def _silent_after_the_first(answer: Json, memory: Memory) -> Json:
    memory.notes["restarts"] += 1
    return answer if memory.notes["restarts"] == 1 else _silent(answer, memory)


def _started(**told: object) -> Rewrite:
    def rewrite(answer: Json, memory: Memory) -> Json:
        return answer | told

    return rewrite


def _first_device(**told: object) -> Rewrite:
    """Tell something else of the first device of the list."""

    def rewrite(answer: Json, memory: Memory) -> Json:
        first, *others = answer["devices"] or [{}]
        return answer | {"devices": [first | told, *others] if first else []}

    return rewrite


def _all_named_alike(answer: Json, memory: Memory) -> Json:
    return answer | {"devices": [device | {"id": "device"} for device in answer["devices"]]}


def _of_others(answer: Json, memory: Memory) -> Json:
    return answer | {"devices": [*answer["devices"][:-1], "device-of-nobody"]}


def _one_short(answer: Json, memory: Memory) -> Json:
    return answer | {"devices": answer["devices"][:-1]}


def _leaves_out(answer: Json, memory: Memory) -> Json:
    asked = memory.last
    others = [id for id in asked["available"] if id not in asked["included"]]
    return answer | {"devices": [*others, *asked["included"]][: asked["size"]]}


def _refuses(answer: Json, memory: Memory) -> Json:
    return {"result": "refused", "message": "rpc error: code = Unimplemented"}


MUTANTS: tuple[mutant, ...] = (
    mutant("never_registers", [_PLUGIN + "registration/registers"], answers={"plugin.start": _silent}),
    mutant(
        "misses_a_restart_of_the_kubelet",
        [_PLUGIN + "registration/again-after-a-restart"],
        answers={"plugin.restart": _silent},
    ),
    mutant(
        "misses_the_second_restart_of_the_kubelet",
        [_PLUGIN + "registration/again-after-a-restart"],
        answers={"plugin.start": _first_restart, "plugin.restart": _silent_after_the_first},
    ),
    mutant(
        "registers_before_it_serves",
        [_PLUGIN + "registration/serves-before-it-registers"],
        answers={"plugin.start": _started(serves=False)},
    ),
    mutant(
        "names_a_resource_without_a_vendor",
        [_PLUGIN + "registration/names-an-extended-resource"],
        answers={"plugin.start": _started(resource="gpu")},
    ),
    mutant(
        "names_all_devices_alike",
        [_PLUGIN + "devices/have-ids-of-their-own"],
        answers={"plugin.start": _all_named_alike},
    ),
    mutant(
        "calls_a_device_ok",
        [_PLUGIN + "devices/are-healthy-or-unhealthy"],
        answers={"plugin.start": _first_device(health="ok")},
    ),
    mutant(
        "puts_a_device_on_a_node_that_is_not_there",
        [_PLUGIN + "topology/names-nodes-of-the-machine"],
        answers={"plugin.start": _first_device(nodes=[77])},
    ),
    mutant(
        "prefers_devices_of_others",
        [_PREFERRED + "is-of-what-is-available"],
        answers={"plugin.prefer": _of_others},
    ),
    mutant("prefers_one_too_few", [_PREFERRED + "has-the-size-asked-for"], answers={"plugin.prefer": _one_short}),
    mutant(
        "prefers_without_what_must_be_included",
        [_PREFERRED + "holds-what-must-be-included"],
        answers={"plugin.prefer": _leaves_out},
    ),
    mutant(
        "does_not_serve_allocate",
        [_PLUGIN + "allocation/serves-what-it-offers"],
        answers={"plugin.allocate": _refuses},
    ),
)
