"""Which quirks can show on a node: ``quirk_needs.txt`` has what each needs, an option of the policy or a fact."""

from ..files import text_of
from .look import Sight

_NEEDS = dict(line.split("; ") for line in text_of(__package__, "quirk_needs.txt").splitlines())


def can_show(quirk: str, sight: Sight) -> bool:
    """Tell whether a quirk can be the cause of anything on this node; True where nothing is known against it."""
    config, machine = sight.configured.kubelet, sight.machine
    nodes = [cpus for cpus in machine.numa_bits.values() if cpus]
    sockets, caches = machine.socket_bits.values(), machine.uncore_bits.values()
    sizes = [{cpus.bit_count() for cpus in groups} for groups in (machine.core_bits, sockets, nodes)]
    facts = {
        "uneven": any(len(different) > 1 for different in sizes),
        "crossing": any(group & node not in (0, group, node) for group in (*sockets, *caches) for node in nodes),
        "several-nodes": len(nodes) > 1,
        "five-nodes": len(nodes) > 4,
        "counted-reservation": not config.reserved_system_cpus,
        "pinned-memory": config.memory_manager_policy == "Static",
        "devices": bool(sight.state.devices),
    }
    options = {name: text != "false" for name, text in (config.cpu_manager_policy_options or {}).items()}
    return all({**options, **facts}.get(need, False) for need in _NEEDS.get(quirk, "").split())
