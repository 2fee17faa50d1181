"""Device plugins that are wrong in one way each."""

from __future__ import annotations

from .mutant import mutant

_PLUGIN = "device-plugin/"
_PREFERRED = _PLUGIN + "preferred-allocation/"


def _silent(answer, memory):
    return {"result": "failed", "message": "nobody has registered"}


@mutant(_PLUGIN + "registration/again-after-a-restart").answer("plugin.start")
def misses_the_second_restart_of_the_kubelet(answer, memory):
    memory.notes["restarts"] = 0
    return answer


@misses_the_second_restart_of_the_kubelet.answer("plugin.restart")
def misses_the_second_restart_of_the_kubelet(answer, memory):
    memory.notes["restarts"] += 1
    return answer if memory.notes["restarts"] == 1 else _silent(answer, memory)


@mutant(_PLUGIN + "registration/again-after-a-restart").answer("plugin.restart")
def registers_again_for_another_resource(answer, memory):
    return answer | {"resource": "example.com/another"}


@mutant(_PLUGIN + "events/leave-devices-where-they-are").answer("plugin.restart")
def gives_ids_to_other_devices_after_a_restart(answer, memory):
    nodes = [device["nodes"] for device in answer["devices"]]
    moved = zip(answer["devices"], nodes[1:] + nodes[:1], strict=True)
    return answer | {"devices": [device | {"nodes": other} for device, other in moved]}


def _started(**told):
    def rewrite(answer, memory):
        return answer | told

    return rewrite


def _first_device(**told):
    """Tell something else of the first device of the list."""

    def rewrite(answer, memory):
        first, *others = answer["devices"] or [{}]
        return answer | {"devices": [first | told, *others] if first else []}

    return rewrite


@mutant(_PLUGIN + "devices/have-ids-of-their-own").answer("plugin.start")
def names_all_devices_alike(answer, memory):
    return answer | {"devices": [device | {"id": "device"} for device in answer["devices"]]}


@mutant(_PREFERRED + "is-of-what-is-available").answer("plugin.prefer")
def prefers_devices_of_others(answer, memory):
    return answer | {"devices": [*answer["devices"][:-1], "device-of-nobody"]}


@mutant(_PREFERRED + "has-the-size-asked-for").answer("plugin.prefer")
def prefers_one_too_few(answer, memory):
    return answer | {"devices": answer["devices"][:-1]}


@mutant(_PREFERRED + "has-the-size-asked-for").answer("plugin.prefer")
def refuses_to_prefer_though_it_says_that_it_does(answer, memory):
    return {"result": "refused", "message": "no"}


@mutant(_PREFERRED + "holds-what-must-be-included").answer("plugin.prefer")
def prefers_without_what_must_be_included(answer, memory):
    asked = memory.last
    others = [id for id in asked["available"] if id not in asked["included"]]
    return answer | {"devices": [*others, *asked["included"]][: asked["size"]]}


@mutant(_PLUGIN + "allocation/serves-what-it-offers").answer("plugin.allocate")
def does_not_serve_allocate(answer, memory):
    return {"result": "refused", "message": "rpc error: code = Unimplemented"}


never_registers = mutant(_PLUGIN + "registration/registers").answer("plugin.start")(_silent)

misses_a_restart_of_the_kubelet = mutant(_PLUGIN + "registration/again-after-a-restart").answer("plugin.restart")(
    _silent
)

registers_before_it_serves = mutant(_PLUGIN + "registration/serves-before-it-registers").answer("plugin.start")(
    _started(serves=False)
)

names_a_resource_without_a_vendor = mutant(_PLUGIN + "registration/names-an-extended-resource").answer("plugin.start")(
    _started(resource="gpu")
)

calls_a_device_ok = mutant(_PLUGIN + "devices/are-healthy-or-unhealthy").answer("plugin.start")(
    _first_device(health="ok")
)


def _on_the_first_node(answer, memory):
    first = min((node for each in answer.get("devices", ()) for node in each["nodes"] or ()), default=None)
    return answer | {"devices": [each | {"nodes": each["nodes"] and [first]} for each in answer["devices"]]}


takes_the_first_numa_node_for_that_of_each_device = (
    mutant(_PLUGIN + "topology/names-the-node-of-a-pci-device")
    .answer("plugin.start")(_on_the_first_node)
    .answer("plugin.restart")(_on_the_first_node)
)

puts_a_device_on_a_node_that_is_not_there = mutant(_PLUGIN + "topology/names-nodes-of-the-machine").answer(
    "plugin.start"
)(_first_device(nodes=[77]))
